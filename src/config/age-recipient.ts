import { text } from './fields.ts'

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const HUMAN_PART = 'age'

/** Whether the checksum of a public key of age fits (BIP 173): a typing error must not make backups nobody can open. */
function isRecipient(key: string): boolean {
  if (!/^age1[a-z0-9]{58}$/.test(key)) return false
  const head = [...HUMAN_PART].map((letter) => letter.charCodeAt(0))
  const values = [
    ...head.map((code) => code >> 5),
    0,
    ...head.map((code) => code & 31),
    ...[...key.slice(HUMAN_PART.length + 1)].map((letter) => LETTERS.indexOf(letter)),
  ]
  let sum = 1
  for (const value of values) {
    if (value < 0) return false
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [bit, factor] of GENERATOR.entries()) if ((top >> bit) & 1) sum ^= factor
  }
  return sum === 1
}

export const ageRecipient = text.refine(
  isRecipient,
  'must be a public key of age: age1 and 58 more characters, all of them right, as age-keygen shows it; never the secret key',
)
