/** Longer names are cut: a message has more to say. */
export const LONGEST_NAME = 60
/** A first name, beside the person who is in danger. */
const LONGEST_FIRST_NAME = 24
/** As much of a name as is looked at: profiles hold 200 characters, external ids 128. */
const LONGEST_INPUT = 400
const CUT = '...'

/**
 * Controls, line ends, invisible and direction-turning characters. Joiners stay: names in Persian or Hindi need them.
 */
const HARMFUL = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/**
 * What makes an address of the words around it: host names (the ideographic full stop counts as a dot there),
 * paths, schemes, mail.
 */
const LINKING = /[.\u3002](?=[^\s.])|[/\\:@](?=\S)/gu
/** What phones turn into a number to call: six digits or more, grouped as numbers are. */
const NUMBER = /\p{Nd}(?:[ \p{Pd}()+~/.\u200c\u200d]{0,5}\p{Nd}){5,}/gu
const READABLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** An apostrophe behind every third digit: it stays readable, and nobody's phone takes it for a number to call. */
function brokenNumber(number: string): string {
  const digits = number.match(/\p{Nd}/gu)?.length ?? 0
  let seen = 0
  return number.replace(/\p{Nd}/gu, (digit) => {
    seen++
    return seen % 3 === 0 && seen < digits ? `${digit}'` : digit
  })
}

/**
 * A name (of a user, a contact, an application) as it may stand in a message that strangers read: one line, no
 * invisible or direction-turning characters, and nothing that a phone would make a link of. Compatibility forms become
 * plain first: a full-width dot links as well as any other. May be empty. rules.md#names.
 */
export function neutralName(name: string): string {
  const plain = name
    .slice(0, LONGEST_INPUT)
    .toWellFormed()
    .normalize('NFKC')
    .replace(HARMFUL, ' ')
    .replace(LINKING, '$& ')
    .replace(/\s+/g, ' ')
    .replace(NUMBER, brokenNumber)
    .trim()
  return READABLE.test(plain) ? plain : ''
}

/** How other contacts are told who has answered: the first name only, without a title. May be empty. */
export function firstName(name: string): string {
  const neutral = neutralName(name)
  const first = neutral.split(' ').find((word) => word.length > 1 && !word.endsWith('.'))
  return shortened(first ?? neutral, LONGEST_FIRST_NAME)
}

/**
 * `name`, with marks that keep its direction from turning the text around it, where it is written from right
 * to left. Not for SMS.
 */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name)

/** `name` in at most `length` characters, three dots included where it was cut. */
export function shortened(name: string, length: number): string {
  const characters = [...name]
  return characters.length <= length
    ? name
    : `${characters
        .slice(0, length - CUT.length)
        .join('')
        .trimEnd()}${CUT}`
}
