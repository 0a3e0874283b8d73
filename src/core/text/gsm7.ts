/** GSM 03.38, basic character set: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** GSM 03.38, extension table: an escape and a septet. */
const EXTENSION = '^{}\\[~]|€\f'

/** The septets of each UTF-16 unit; 0: not in the alphabet. A table, because an alarm's text is measured many times. */
const SEPTETS = new Uint8Array(0x10000)
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1
for (const character of EXTENSION) SEPTETS[character.charCodeAt(0)] = 2

const septetsAt = (text: string, at: number): number => SEPTETS[text.charCodeAt(at)] ?? 0

/** Capacity of one SMS, alone and as part of several (which need a header). */
const SINGLE = { gsm7: 160, ucs2: 70 } as const
const PART = { gsm7: 153, ucs2: 67 } as const

/** The septets of `text`, or null if it does not fit the 7-bit alphabet. */
function septetsOf(text: string): number | null {
  let total = 0
  for (let at = 0; at < text.length; at++) {
    const septets = septetsAt(text, at)
    if (septets === 0) return null
    total += septets
  }
  return total
}

/**
 * Whether `text` fits the 7-bit alphabet. A single other character turns the whole SMS into UCS-2, with 70 characters
 * instead of 160.
 */
export const isGsm7 = (text: string): boolean => septetsOf(text) !== null

/**
 * The number of SMS segments of `text`, at least 1. A character of two units (extension table, surrogate pair) is never
 * split between segments.
 */
export function segmentsOf(text: string): number {
  const septets = septetsOf(text)
  const alphabet = septets === null ? 'ucs2' : 'gsm7'
  if ((septets ?? text.length) <= SINGLE[alphabet]) return 1
  const unitsOf = (character: string) => (septets === null ? character.length : septetsAt(character, 0))
  let segments = 1
  let used = 0
  for (const character of text) {
    const units = unitsOf(character)
    if (used + units > PART[alphabet]) {
      segments++
      used = 0
    }
    used += units
  }
  return segments
}

/** Whether `text` takes at most `segments`. For one segment, the length alone decides, which is cheap. */
export function fitsIn(text: string, segments: number): boolean {
  if (segments > 1) return segmentsOf(text) <= segments
  // Every character takes at least a septet.
  if (text.length > SINGLE.gsm7) return false
  const septets = septetsOf(text)
  return septets === null ? text.length <= SINGLE.ucs2 : septets <= SINGLE.gsm7
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
  '\u2011': '-',
  '«': '"',
  '»': '"',
  '\u00a0': ' ',
  '\u202f': ' ',
  '…': '...',
}

/**
 * `text` without the accents that the 7-bit alphabet lacks ("Jiří" becomes "Jiri"): it stays readable, and the SMS
 * stays in one segment. Text that differs from the alphabet by more than accents (another script, an emoji) is returned
 * unchanged.
 */
export function withoutForeignAccents(text: string): string {
  if (isGsm7(text)) return text
  const plain = [...text.normalize('NFC')].map((character) =>
    isGsm7(character)
      ? character
      : (PLAIN[character] ?? character.normalize('NFD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')),
  )
  const joined = plain.join('')
  return isGsm7(joined) ? joined : text
}
