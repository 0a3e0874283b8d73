/**
 * Invisible characters, and those that turn the direction of the text after them: a name with one could change the
 * meaning of the sentence around it. Joiners stay: Persian and Hindi need them.
 */
const HARMFUL = /(?!\u200c|\u200d)[\p{Cf}\p{Zl}\p{Zp}]/gu
/** Fillers count as letters, and the empty Braille cell as a symbol, but nobody sees them. */
const READABLE = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** A text of the API as it is shown. The API and its files have every character. */
export function parsePlain<T>(json: string): T {
  if (!new RegExp(HARMFUL).test(json)) return JSON.parse(json)
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? value.replace(HARMFUL, '') : value))
}

/** Null if nothing is readable. The direction of a right-to-left name ends with it. */
export function readable(name: string | null): string | null {
  if (name === null || !READABLE.test(name)) return null
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name
}
