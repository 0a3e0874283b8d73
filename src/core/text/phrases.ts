import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import type { FixedWords } from './fixed-words.ts'
import { fr } from './fr.ts'
import { asWritten } from './grammar.ts'
import { it } from './it.ts'
import type { Phrases } from './placeholders.ts'

export type Language = keyof typeof phrases

/** The phrases, which an application may replace. */
export const phrases = {
  en: en.phrases,
  de: de.phrases,
  fr: fr.phrases,
  es: es.phrases,
  it: it.phrases,
} as const satisfies Record<string, Phrases>

export const fixedWords: Readonly<Record<Language, FixedWords>> = {
  en: en.fixed,
  de: de.fixed,
  fr: fr.fixed,
  es: es.fixed,
  it: it.fixed,
}

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
 * `phrase` with all its placeholders filled in one pass: a name that looks like a placeholder stays a name. It uses no
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

const DRILL_WORD = /(?<!\p{L})(?:EXERCISE|ÜBUNG|UEBUNG|UBUNG|EXERCICE|ESERCITAZIONE|SIMULACRO)(?!\p{L})/giu
/** Leftovers in front of a name, such as the colon after the word. */
const IN_FRONT = /^[^\p{L}\p{N}\p{S}]+/u

/**
 * A person's name without the word for a drill. In a name it would make a real alarm read like a drill: anyone with a
 * minute at the phone could silence it for good. `name`: as `neutralName` returns it. May be empty.
 */
export function withoutDrillWord(name: string): string {
  const rest = name.replace(DRILL_WORD, ' ')
  return rest === name ? name : rest.replace(IN_FRONT, '').replace(/\s+/g, ' ').trim()
}
