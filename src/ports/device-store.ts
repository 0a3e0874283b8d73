import type { Device, RegisteredHardware } from '../core/account/device.ts'

/** One attempt to pair: the registration to check the code against. Counts as a wrong code until `pair` is called. */
type PairingTry = { readonly registered: RegisteredHardware } | { readonly refused: 'unknown_hardware' | 'locked' }

export type DeviceStore = {
  devices(userId: string): Promise<readonly Device[]>
  /**
   * Begins an attempt in one transaction. Counts it as a wrong code in advance, so that parallel attempts cannot exceed
   * the limit together, and locks the hardware id if it was the last one allowed.
   */
  beginPairing(appId: string, hardwareId: string, now: number): Promise<PairingTry>
  /** The code was right: resets the count of wrong codes and pairs, or updates the same user's record. */
  pair(device: {
    readonly id: string
    readonly appId: string
    readonly userId: string
    readonly hardwareId: string
    readonly firmwareVersion: string | null
    readonly hardwareModel: string | null
    readonly now: number
    readonly limit: number
  }): Promise<
    { readonly device: Device; readonly created: boolean } | { readonly refused: 'paired_to_another' | 'device_limit' }
  >
  unpair(
    userId: string,
    deviceId: string,
  ): Promise<{ readonly removed: true } | { readonly refused: 'device_not_found' }>
}

/** The operator's registry of trackers. */
export type HardwareRegistry = {
  /** Adds or replaces registrations, all or none. */
  registerHardware(appId: string, hardware: readonly RegisteredHardware[], now: number): Promise<void>
  /** Every registered hardware id of an application, with its owner if it is paired. */
  registeredHardware(appId: string): Promise<readonly HardwareRow[]>
  /** Removes a tracker's pairing, whoever owns it. The registration stays. */
  unpairHardware(
    appId: string,
    hardwareId: string,
  ): Promise<{ readonly removed: true } | { readonly refused: 'not_paired' }>
}

export type HardwareRow = {
  readonly hardwareId: string
  readonly model: string | null
  readonly externalUserId: string | null
  readonly pairedAt: number | null
  /** Epoch ms until which pairing is locked, or null. */
  readonly lockedUntil: number | null
}

export type Feedback = {
  readonly id: string
  readonly userId: string
  readonly message: string
  readonly category: string | null
  readonly rating: number | null
  readonly createdAt: number
}

export type FeedbackStore = {
  addFeedback(feedback: Feedback): Promise<void>
  /** All feedback, oldest first. */
  feedback(): Promise<readonly (Feedback & { readonly appId: string; readonly externalUserId: string })[]>
}
