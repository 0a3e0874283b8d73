import { withOurDigits } from '../text/digits.ts'

/**
 * An SOS sent as a text. `isBare`: nothing but the word, a position and a code. `word`: `sos` is never said by chance;
 * `help` is any other word for it. `note`: the rest of the text, '' for none.
 */
export type SmsSos = {
  readonly word: 'sos' | 'help'
  readonly place: { readonly latitude: number; readonly longitude: number } | null
  readonly code: string | null
  readonly isBare: boolean
  readonly note: string
}

/** Ten parts of one long text; the rest is ignored. */
const MAX_LOOKED_AT = 1600

/** In Latin, Cyrillic and Greek letters, whichever keyboard the phone shows. */
const SOS = /^(?:[SСΣ][ .,-]?[OОΟ0][ .,-]?[SСΣ](?!\p{L})|🆘)/u
const HELP =
  /^(?:HELP|MAYDAY|EMERGENCY|HILFE|NOTFALL|NOTRUF|AU SECOURS|SECOURS|AIDE|URGENCE|AIUTO|SOCCORSO|EMERGENZA|AYUDA|SOCORRO|AUXILIO|EMERGENCIA)(?!\p{L})/u

/**
 * Reads an SOS: it begins with one of the words, in any case. Null for any other text. A position or a code that cannot
 * be read stays in the note: it never costs the alarm. Takes time in proportion to the text. sms.md#sms-sos.
 */
export function smsSos(text: string): SmsSos | null {
  const written = withOurDigits(text.slice(0, MAX_LOOKED_AT))
    .replaceAll(/[°º˚]/g, '°')
    .replaceAll(/['’′´`]/g, "'")
    .replaceAll(/["″“”]|''/g, '"')
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^[^\p{L}🆘]+/u, '')
  const word = SOS.exec(written)?.[0]
  const found = word ?? HELP.exec(written)?.[0]
  if (found === undefined) return null
  const said = written.slice(found.length)
  const [place, left] = withoutPlace(said)
  const words = left.split(' ').filter((one) => /[\p{L}\p{N}]/u.test(one))
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const [code] = [last, first].map((one) => /^[^\p{L}\d]*(\d{4})[^\p{L}\d]*$/u.exec(one)?.[1]).filter(Boolean)
  const isBare = words.length === (code === undefined ? 0 : 1)
  return {
    word: word === undefined ? 'help' : 'sos',
    place,
    code: code ?? null,
    isBare,
    note: isBare ? '' : noteOf(text),
  }
}

const noteOf = (text: string): string => text.slice(0, MAX_LOOKED_AT).trim()

type Place = NonNullable<SmsSos['place']>

/** Degrees, then minutes and seconds where there are any. No repetition without a bound, and none inside another. */
const NUMBER = String.raw`(\d{1,3}(?:[.,]\d{1,12})?)`
const ANGLE = `${NUMBER} ?(?:° ?(?:${NUMBER} ?' ?(?:${NUMBER} ?" ?)?)?)?`
const GAP = '[ ,;/]{0,3}'
/** With the hemispheres before the numbers, and behind them. */
export const PLACES_WITH_LETTERS: readonly RegExp[] = [
  new RegExp(`(?<![A-Z])([NS]) ?${ANGLE}${GAP}([EWO]) ?${ANGLE}`),
  new RegExp(`(?<!\\d)${ANGLE}([NS])(?![A-Z])${GAP}${ANGLE}([EWO])(?![A-Z])`),
]
/**
 * The forms of a position, the surest first: with hemispheres before or behind, as the two parameters of a link, and as
 * two decimal numbers, which need decimals: "SOS 12 34" is not a position.
 */
const FORMS: readonly { readonly pattern: RegExp; readonly read: (match: RegExpExecArray) => Place | null }[] = [
  { pattern: PLACES_WITH_LETTERS[0]!, read: read(1, 5) },
  { pattern: PLACES_WITH_LETTERS[1]!, read: read(4, 8) },
  { pattern: /LAT=(-?\d{1,2}\.\d{1,12})&[A-Z]{0,2}LON=(-?\d{1,3}\.\d{1,12})/, read: decimal },
  {
    pattern: /(?<![\d.])([+-]?\d{1,2}\.\d{2,12})°?(?: ?[,;/] ?|%2C| )([+-]?\d{1,3}\.\d{2,12})(?![\d.])/,
    read: decimal,
  },
  { pattern: /(?<![\d,])([+-]?\d{1,2},\d{2,12})°?(?: ?[;/] ?|, | )([+-]?\d{1,3},\d{2,12})(?![\d,])/, read: decimal },
]

/** The position in a text, and the text without it. The rest of a link that held it goes with it. */
function withoutPlace(text: string): readonly [Place | null, string] {
  for (const { pattern, read: of } of FORMS) {
    const match = pattern.exec(text)
    const place = match === null ? null : of(match)
    if (match === null || place === null) continue
    const [before, behind] = [text.slice(0, match.index), text.slice(match.index + match[0].length)]
    const from = before.lastIndexOf(' ') + 1
    const isLink = /^(?:HTTPS?|GEO):/.test(before.slice(from))
    const to = behind.indexOf(' ')
    if (!isLink) return [place, `${before} ${behind.replace(/^°/, '')}`]
    return [place, `${before.slice(0, from)} ${to === -1 ? '' : behind.slice(to)}`]
  }
  return [null, text]
}

function decimal([, latitude = '', longitude = '']: RegExpExecArray): Place | null {
  return placed(Number(latitude.replace(',', '.')), Number(longitude.replace(',', '.')))
}

/** `north`, `east`: the groups of the two letters; the numbers follow the letter, or stand before it. */
function read(north: number, east: number): (match: RegExpExecArray) => Place | null {
  const behind = north === 1
  const angleAt = (match: RegExpExecArray, letter: number): number => {
    const from = behind ? letter + 1 : letter - 3
    const [degrees = 0, minutes = 0, seconds = 0] = match
      .slice(from, from + 3)
      .map((one = '0') => Number(one.replace(',', '.')))
    if (minutes >= 60 || seconds >= 60) return Number.NaN
    const sign = match[letter] === 'S' || match[letter] === 'W' ? -1 : 1
    return sign * (degrees + minutes / 60 + seconds / 3600)
  }
  return (match) => placed(angleAt(match, north), angleAt(match, east))
}

const PRECISION = 1e6

/** Null if it is not a place on earth. */
function placed(latitude: number, longitude: number): Place | null {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null
  const rounded = (degrees: number) => Math.round(degrees * PRECISION) / PRECISION + 0
  return { latitude: rounded(latitude), longitude: rounded(longitude) }
}
