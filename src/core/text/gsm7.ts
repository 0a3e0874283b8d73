/** GSM 03.38, basic character set: one septet each. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** GSM 03.38, extension table: an escape and a septet. */
const EXTENSION = new Set('^{}\\[~]|€\f')

/** Capacity of one SMS, alone and as part of several (which need a header). */
const SINGLE = { gsm7: 160, ucs2: 70 } as const
const PART = { gsm7: 153, ucs2: 67 } as const

const isGsm7Character = (character: string): boolean => BASIC.has(character) || EXTENSION.has(character)

/**
 * Whether `text` fits the 7-bit alphabet. A single other character turns the whole SMS into UCS-2, with 70 characters
 * instead of 160.
 */
export const isGsm7 = (text: string): boolean => [...text].every(isGsm7Character)

/**
 * The number of SMS segments of `text`, at least 1. A character of two units (extension table, surrogate pair) is never
 * split between segments.
 */
export function segmentsOf(text: string): number {
  const characters = [...text]
  const alphabet = characters.every(isGsm7Character) ? 'gsm7' : 'ucs2'
  const units = characters.map((character) =>
    alphabet === 'ucs2' ? character.length : EXTENSION.has(character) ? 2 : 1,
  )
  const total = units.reduce((sum, unit) => sum + unit, 0)
  if (total <= SINGLE[alphabet]) return 1
  let segments = 1
  let used = 0
  for (const unit of units) {
    if (used + unit > PART[alphabet]) {
      segments++
      used = 0
    }
    used += unit
  }
  return segments
}

/** Letters and symbols without a decomposition, as people write them if the alphabet lacks them. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  œ: 'oe',
  Œ: 'OE',
  þ: 'th',
  Þ: 'Th',
  ð: 'd',
  Ð: 'D',
  ẞ: 'SS',
  '’': "'",
  '‘': "'",
  '´': "'",
  '`': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '‐': '-',
  '…': '...',
}

/**
 * `text` without the accents that the 7-bit alphabet lacks ("Jiří" becomes "Jiri"): it stays readable, and the SMS
 * stays in one segment. Text that differs from the alphabet by more than accents (another script, an emoji) is returned
 * unchanged.
 */
export function withoutForeignAccents(text: string): string {
  const plain = [...text.normalize('NFC')].map((character) =>
    isGsm7Character(character)
      ? character
      : (PLAIN[character] ?? character.normalize('NFD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')),
  )
  const joined = plain.join('')
  return isGsm7(joined) ? joined : text
}
