import { z } from 'zod'
import { isoAt } from './event-time.ts'
import { recordTimes } from './profile.ts'

/** A tracker that is paired with a user. Spec, Registered device. */
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

/** What the operator registered beforehand. `codeHash` is what `hashPairingCode` made of the code. */
export type RegisteredHardware = {
  readonly hardwareId: string
  readonly codeHash: string
  readonly model: string | null
}

const printable = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')

export const hardwareIdField = printable(128)
export const pairingCodeField = printable(64)
export const modelField = printable(100)

/** `POST /v1/sdk/devices`. Decisions 2, Pairing. */
export const pairingSchema = z.object({
  pairingCode: pairingCodeField,
  hardwareId: hardwareIdField,
  firmwareVersion: printable(100).nullish(),
  hardwareModel: modelField.nullish(),
})

export type PairingRequest = z.infer<typeof pairingSchema>

/** How many wrong codes lock a hardware id, and for how long. Decisions 2. */
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
