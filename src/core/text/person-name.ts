/** Longer names are cut to leave room for the message. */
export const MAX_NAME_LENGTH = 60
/** For a first name next to the person in danger. */
const MAX_FIRST_NAME_LENGTH = 24
/** Names are cut to this before any processing. Profiles hold 200 characters, external ids 128. */
const MAX_INPUT_LENGTH = 400
const CUT = '...'

/**
 * Controls, line breaks, invisible and direction-changing characters. Joiners stay: names in Persian or Hindi need
 * them.
 */
const HARMFUL = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/**
 * Characters that turn the words around them into an address: in host names (where the ideographic full stop counts as
 * a dot), paths, schemes and mail addresses.
 */
const LINKING = /[.\u3002](?=[^\s.])|[/\\:@](?=\S)/gu
/**
 * Text that phones turn into a number to call: at least six digits, grouped as numbers are. Joiners are invisible, so
 * any number of them is skipped.
 */
const NUMBER = /\p{Nd}(?:[\u200c\u200d]*(?:[ \p{Pd}()+~/.][\u200c\u200d]*){0,5}\p{Nd}){5,}/gu
/** Fillers count as letters and the empty Braille cell as a symbol, although both are invisible. */
const READABLE = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** Adds an apostrophe after every third digit: still readable, but no phone treats it as a number to call. */
function brokenNumber(number: string): string {
  const digits = number.match(/\p{Nd}/gu)?.length ?? 0
  let seen = 0
  return number.replace(/\p{Nd}/gu, (digit) => {
    seen++
    return seen % 3 === 0 && seen < digits ? `${digit}'` : digit
  })
}

/** Most names: Latin letters and a few digits, which no normalisation changes. */
const PLAIN = /^[A-Za-zÀ-ÖØ-öø-ÿ\d]+(?:[ '-][A-Za-zÀ-ÖØ-öø-ÿ\d]+)*$/
const SIX_DIGITS = /(?:\d\D*){6}/

/**
 * A name (of a user, contact or application) made safe for messages that strangers read: one line, no invisible or
 * direction-changing characters, and nothing that a phone would turn into a link. Compatibility forms become plain
 * characters first, because a full-width dot links as well as any other. May be empty. rules.md#names.
 */
export function neutralName(name: string): string {
  if (name.length <= MAX_INPUT_LENGTH && PLAIN.test(name) && !SIX_DIGITS.test(name)) return name
  const plain = name
    .slice(0, MAX_INPUT_LENGTH)
    .toWellFormed()
    .normalize('NFKC')
    .replace(HARMFUL, ' ')
    .replace(LINKING, '$& ')
    .replace(/\s+/g, ' ')
    .replace(NUMBER, brokenNumber)
    .trim()
  return READABLE.test(plain) ? plain : ''
}

/** Dots and slashes that make an address of the words beside them, in a text with times and positions. */
const ADDRESSING = /(?<=[\p{L}\p{N}])[.\u3002](?=\p{L})|[/\\@](?=\S)|:(?=[/\\])/gu

/** A text by a stranger to the site, in which no phone finds an address to open. Coordinates and times stay. */
export const withoutLinks = (text: string): string => text.normalize('NFKC').replace(ADDRESSING, '$& ')

/** Typed text for a page: like `HARMFUL`, but line breaks stay. */
export const visibleText = (text: string): string =>
  text.replace(/(?!\n|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')

/** The name of a helper as other contacts see it: the first name only, without a title. May be empty. */
export function firstName(name: string): string {
  const neutral = neutralName(name)
  const first = neutral.split(' ').find((word) => word.length > 1 && !word.endsWith('.'))
  return shortened(first ?? neutral, MAX_FIRST_NAME_LENGTH)
}

/**
 * A right-to-left `name` with isolating marks, so that it does not reorder the text around it; others unchanged. Not
 * for SMS.
 */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name)

/** `name` in at most `length` characters, including the three dots if it was cut. */
export function shortened(name: string, length: number): string {
  // Every character takes at least one code unit.
  if (name.length <= length) return name
  const characters = [...name]
  return characters.length <= length
    ? name
    : `${characters
        .slice(0, length - CUT.length)
        .join('')
        .trimEnd()}${CUT}`
}
