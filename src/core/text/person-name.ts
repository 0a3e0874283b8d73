/** Longer names are cut: a message has more to say. */
export const LONGEST_NAME = 60
const CUT = '...'

/** Controls, line ends, invisible and direction-turning characters. Joiners stay: names in Persian or Hindi need them. */
const HARMFUL = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * A user's name as it may stand in a message that strangers read: one line, no invisible or direction-turning characters, and no
 * address that could be taken for the tracking link. May be empty.
 */
export const neutralName = (name: string): string =>
  name
    .toWellFormed()
    .replace(HARMFUL, ' ')
    .replace(/:(?=\/\/)/g, ': ')
    .replace(/\s+/g, ' ')
    .trim()

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
