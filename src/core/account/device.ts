import { isoAt } from '../ingest/event-time.ts'
import { recordTimes } from './profile.ts'

/** A tracker paired with a user. protocol.md#devices. */
export type Device = {
  readonly id: string
  readonly appId: string
  readonly userId: string
  readonly hardwareId: string
  readonly firmwareVersion: string | null
  readonly hardwareModel: string | null
  readonly pairedAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** Hardware that the operator has registered. `codeHash`: the result of `hashPairingCode`. */
export type RegisteredHardware = {
  readonly hardwareId: string
  readonly codeHash: string
  readonly model: string | null
}

/** The number of wrong codes that lock a hardware id, and how long the lock lasts. limits.md#users-and-trackers. */
export const PAIRING_TRIES = 5
export const PAIRING_LOCK_MS = 15 * 60_000

/** Wrong codes since the last right one or the last lock, and the end of the lock (epoch ms). */
export type PairingTries = { readonly tries: number; readonly lockedUntil: number | null }

/** The count after one more attempt, which counts as a wrong code in advance; null while the hardware id is locked. */
export function nextTry({ tries, lockedUntil }: PairingTries, now: number): PairingTries | null {
  // A lock longer than any real one was set while the clock ran ahead, and would hold until that wrong date.
  const left = (lockedUntil ?? now) - now
  if (left > 0 && left <= PAIRING_LOCK_MS) return null
  // An expired lock restarts the count.
  const next = (lockedUntil === null ? tries : 0) + 1
  return { tries: next, lockedUntil: next >= PAIRING_TRIES ? now + PAIRING_LOCK_MS : null }
}

/** The REST shape of a device. */
export const deviceView = (device: Device) => ({
  id: device.id,
  hardwareId: device.hardwareId,
  firmwareVersion: device.firmwareVersion,
  hardwareModel: device.hardwareModel,
  pairedAt: isoAt(device.pairedAt),
  ...recordTimes(device),
})
