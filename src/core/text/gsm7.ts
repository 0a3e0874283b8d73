/** GSM 03.38, basic character set: one septet each. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** GSM 03.38, extension table: an escape and a septet. */
const EXTENSION = new Set('^{}\\[~]|€\f')

/** How much one SMS holds, alone and as a part of several (the rest is the header that joins them). */
const SINGLE = { gsm7: 160, ucs2: 70 } as const
const PART = { gsm7: 153, ucs2: 67 } as const

const isGsm7Character = (character: string): boolean => BASIC.has(character) || EXTENSION.has(character)

/**
 * Whether a whole SMS of `text` can be sent in the 7-bit alphabet. One other character makes all of it
 * UCS-2, 70 instead of 160.
 */
export const isGsm7 = (text: string): boolean => [...text].every(isGsm7Character)

/**
 * In how many SMS segments `text` leaves, at least 1. A character that takes two units (extension table, surrogate
 * pair) is never split between segments.
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

/** Letters and signs without a decomposition, as people write them where the alphabet lacks them. */
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
 * `text` without the accents that the 7-bit alphabet lacks ("Jiří" becomes "Jiri"): everybody can read that,
 * and the SMS stays in one segment. Text that is more than accents away from the alphabet (another script, an
 * emoji) stays as it is.
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
