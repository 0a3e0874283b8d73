import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { asWritten } from './grammar.ts'
import { it } from './it.ts'
import type { Phrases } from './placeholders.ts'

export type Language = keyof typeof phrases

export const phrases = { en, de, fr, es, it } as const satisfies Record<string, Phrases>

/**
 * The language of a message: the first of `preferred` (BCP 47, the contact's and then the application's) with phrases,
 * regardless of region, else English.
 */
export function textLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const base = isLanguage(tag) ? tag : baseLanguage(tag)
    if (isLanguage(base)) return base
  }
  return 'en'
}

const isLanguage = (base: string): base is Language => Object.hasOwn(phrases, base)

/** `de` for `DE-at`, and for the three-letter `deu`. */
function baseLanguage(tag: string): string {
  try {
    return new Intl.Locale(tag).language
  } catch {
    // Not a language tag: ignore it, and let the next one decide.
    return ''
  }
}

/**
 * `phrase` with all its placeholders filled in one pass: a name that looks like a placeholder stays a name. Without a
 * regular expression, which took a quarter of a text's time: a thousand texts may be due at once.
 */
export function filled(phrase: string, values: Readonly<Record<string, string>>): string {
  let text = ''
  let at = 0
  for (let end = phrase.indexOf('}'); end !== -1; end = phrase.indexOf('}', at)) {
    const begin = phrase.lastIndexOf('{', end)
    const key = phrase.slice(begin + 1, end)
    text +=
      begin >= at && Object.hasOwn(values, key)
        ? phrase.slice(at, begin) + asWritten(values[key]!, phrase.slice(0, begin))
        : phrase.slice(at, end + 1)
    at = end + 1
  }
  return at === 0 ? phrase : text + phrase.slice(at)
}
