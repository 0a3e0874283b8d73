import type { FieldState } from '../core/field/field-state.ts'

/** A paired tracker whose user and application are both enabled, with its stored state. */
export type FieldDevice = {
  readonly deviceId: string
  readonly appId: string
  readonly userId: string
  readonly hardwareId: string
  /** The model that the operator registered it with. */
  readonly model: string | null
  /** Null until the tracker has been heard. */
  readonly state: FieldState | null
}

/** Trackers that report directly: with their own token, or through a network server. */
export type FieldStore = {
  /** `hash`: of the tracker’s token (`secretHash`). Null for an unknown one. */
  deviceByToken(hash: string): Promise<FieldDevice | null>
  /**
   * The paired tracker whose hardware id is this DevEUI in any spelling (16 hexadecimal digits, lower case); the one
   * paired last, if there are several.
   */
  deviceByEui(appId: string, devEui: string): Promise<FieldDevice | null>
  /** The stored states of the user's trackers that were heard. */
  fieldStates(userId: string): Promise<readonly FieldState[]>
  /**
   * Replaces the tracker's state. Does nothing for one that is no longer paired. `isCleared`: its SOS flag was
   * set in the stored state, and is clear now; that may use the reserve of alarms. keeping.md#reserve.
   */
  keepFieldState(deviceId: string, state: FieldState, isCleared?: boolean): Promise<void>
  /** Gives a tracker the token with this hash, and takes the one before. Null: it has none from now on. */
  setDeviceToken(
    deviceId: string,
    hash: string | null,
    now: number,
  ): Promise<{ readonly set: true } | { readonly refused: 'not_paired' }>
}
