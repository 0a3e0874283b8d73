import type { Pairing } from '../core/account/decide-pairing.ts'
import type { Device, RegisteredHardware } from '../core/account/device.ts'
import type { RemovalText } from '../core/account/removal-text.ts'
import type { FieldState } from '../core/field/field-state.ts'
import type { Page, ScopedQuery } from './page.ts'

/** One attempt to pair: the registration to check the code against. Counts as a wrong code until `pair` is called. */
type PairingTry = { readonly registered: RegisteredHardware } | { readonly refused: 'unknown_hardware' | 'locked' }

export type DeviceStore = {
  devices(userId: string): Promise<readonly Device[]>
  /**
   * Counts one more code of this user as wrong, in advance. Returns how long to wait (ms) instead, where there were too
   * many; else null.
   */
  tryCode(userId: string, now: number): Promise<number | null>
  /**
   * Begins an attempt in one transaction. Counts it as a wrong code in advance, so that parallel attempts cannot exceed
   * the limit together, and locks the hardware id if it was the last one allowed.
   */
  beginPairing(appId: string, hardwareId: string, now: number): Promise<PairingTry>
  /**
   * The code was right: resets the count of wrong codes and pairs, or updates the same user's record.
   */
  pair(
    device: Pairing,
  ): Promise<
    { readonly device: Device; readonly created: boolean } | { readonly refused: 'paired_to_another' | 'device_limit' }
  >
  /** `texts`: kept in the same commit until they have left. */
  unpair(
    userId: string,
    deviceId: string,
    texts?: readonly RemovalText[],
  ): Promise<{ readonly removed: true } | { readonly refused: 'device_not_found' }>
}

/** The operator's registry of trackers. A DevEUI names the same tracker in every spelling. devices.md#device-ids. */
export type HardwareRegistry = {
  /** Adds or replaces registrations, all or none. One that is replaced keeps its spelling. */
  registerHardware(appId: string, hardware: readonly RegisteredHardware[], now: number): Promise<void>
  /** Every registered hardware id of an application, with its owner if it is paired. */
  registeredHardware(appId: string): Promise<readonly HardwareRow[]>
  /** Trackers with another one of their application whose id differs only in what a DevEUI may: at most 1,000. */
  alikeHardware(): Promise<readonly { readonly appId: string; readonly hardwareId: string }[]>
  /** One of them, in whatever spelling of a DevEUI. */
  hardware(appId: string, hardwareId: string): Promise<HardwareRow | null>
  /** The same with everything that operators see, whether or not its user and its application are enabled. */
  hardwareDetail(appId: string, hardwareId: string): Promise<HardwareDetail | null>
  /** By application and hardware id. `text`: in the hardware id, the model or the owner's external id. */
  hardwarePage(
    query: ScopedQuery & { readonly onlySilent?: boolean },
  ): Promise<Page<HardwareRow & { readonly appId: string }>>
  /**
   * The models of the registered trackers of some applications (null: of all), with the number of trackers, most first:
   * of 20,000 trackers, at most 200 models.
   */
  hardwareModels(
    appIds: readonly string[] | null,
  ): Promise<readonly { readonly model: string; readonly trackers: number }[]>
  /** Removes a tracker's pairing, whichever user has it. The registration stays. */
  unpairHardware(
    appId: string,
    hardwareId: string,
  ): Promise<{ readonly removed: true } | { readonly refused: 'not_paired' }>
}

export type HardwareRow = {
  readonly hardwareId: string
  readonly model: string | null
  readonly userId: string | null
  readonly externalUserId: string | null
  readonly pairedAt: number | null
  /** Epoch ms until which pairing is locked, or null. */
  readonly lockedUntil: number | null
  /** After how many minutes it counts as silent; 0 is off, null as its application says. */
  readonly silentAfterMinutes: number | null
  /** When it was last heard, once it counts as silent, or null. */
  readonly silentSince: number | null
}

/** One tracker, its pairing and its last news. Times are epoch ms. */
export type HardwareDetail = HardwareRow & {
  readonly appId: string
  /** Of the pairing; null while nobody has paired it. */
  readonly deviceId: string | null
  /** Its user or its application is disabled: nothing that it sends is accepted. */
  readonly disabled: boolean
  /** The meaning of `silentAfterMinutes` null. */
  readonly applicationSilentAfterMinutes: number
  /** Known for trackers with their own token, LoRaWAN trackers and watched ones; null for the others. */
  readonly heardAt: number | null
  readonly tokenMadeAt: number | null
  /** Null unless it speaks for itself. */
  readonly state: FieldState | null
}

type Feedback = {
  readonly id: string
  readonly userId: string
  readonly message: string
  readonly category: string | null
  readonly rating: number | null
  readonly createdAt: number
}

/** Feedback with whose it is. */
export type UserFeedback = Feedback & { readonly appId: string; readonly externalUserId: string }

export type FeedbackStore = {
  addFeedback(feedback: Feedback): Promise<void>
  /** All feedback, oldest first. */
  feedback(): Promise<readonly UserFeedback[]>
  /** Newest first. `text`: in the message, the category or the external id. */
  feedbackPage(query: ScopedQuery): Promise<Page<UserFeedback>>
}
