import { z } from 'zod'
import { devEuiOf } from '../ingest/device-key.ts'

const printable = (max: number) =>
  z
    .string()
    .trim()
    .min(1, { abort: true })
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')

/**
 * A DevEUI pasted from a document may contain Unicode spaces, which the databases do not treat as spaces.
 * devices.md#device-ids.
 */
export const hardwareIdField = printable(128).overwrite((id) => (devEuiOf(id) === null ? id : id.replace(/\s/gu, ' ')))
const pairingCodeField = printable(64)
/**
 * A code as it may be registered. Existing registrations stay valid, and codes that users enter are not checked for
 * strength.
 */
export const newPairingCodeField = pairingCodeField.refine(
  (code) => possibleCodes(code) >= MIN_POSSIBLE_CODES,
  'is too easy to guess: use at least six digits, five letters, or four characters that mix both',
)
export const modelField = printable(100)

/** `POST /v1/sdk/devices`. access.md#pairing. */
export const pairingSchema = z.object({
  pairingCode: pairingCodeField,
  hardwareId: hardwareIdField,
  firmwareVersion: printable(100).nullish(),
  hardwareModel: modelField.nullish(),
})

export type PairingRequest = z.infer<typeof pairingSchema>

/**
 * The limit on wrong codes (`PAIRING_TRIES`) allows 175,000 tries a year. Guessing one of a million codes takes three
 * years for an even chance; 10,000 codes are exhausted in three weeks.
 */
const MIN_POSSIBLE_CODES = 1_000_000

/** The alphabets that a guesser who knows the shape of a code has to try. Separators are part of the shape. */
const alphabets = [
  { members: /\p{Nd}/gu, size: 10 },
  { members: /\p{L}/gu, size: 26 },
  { members: /[^\p{Nd}\p{L}\s_./-]/gu, size: 10 },
] as const

/** The number of codes with the same shape as this one. */
function possibleCodes(code: string): number {
  const used = alphabets.map(({ members, size }) => ({ size, count: code.match(members)?.length ?? 0 }))
  const sizes = used.reduce((sum, { size, count }) => sum + (count > 0 ? size : 0), 0)
  return sizes ** used.reduce((sum, { count }) => sum + count, 0)
}
