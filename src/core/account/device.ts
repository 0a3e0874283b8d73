import { isoAt } from '../ingest/event-time.ts'
import { recordTimes } from './profile.ts'

/** A tracker paired with a user. protocol.md#devices. */
export type Device = {
  readonly id: string
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

/** The number of wrong codes that lock a hardware id, and the duration of the lock. rules.md#pairing. */
export const PAIRING_TRIES = 5
export const PAIRING_LOCK_MS = 15 * 60_000

/** The REST shape of a device. */
export const deviceView = (device: Device) => ({
  id: device.id,
  hardwareId: device.hardwareId,
  firmwareVersion: device.firmwareVersion,
  hardwareModel: device.hardwareModel,
  pairedAt: isoAt(device.pairedAt),
  ...recordTimes(device),
})
