import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import type { Phrases } from './placeholders.ts'

export type Language = keyof typeof phrases

export const phrases = { en, de, fr, es, it } as const satisfies Record<string, Phrases>

/**
 * The language in which a message is written: the first of `preferred` (BCP 47, the contact's and then the
 * application's) that there are phrases for, region or not, else English.
 */
export function textLanguage(preferred: readonly string[]): Language {
  return preferred.map(baseLanguage).find(isLanguage) ?? 'en'
}

const isLanguage = (base: string): base is Language => Object.hasOwn(phrases, base)

/** `de` for `DE-at`, and for the three-letter `deu`. */
function baseLanguage(tag: string): string {
  try {
    return new Intl.Locale(tag).language
  } catch {
    // Not a language tag at all: then it says nothing, and the next one decides.
    return ''
  }
}

/** `phrase` with its placeholders filled, all at once: a name that looks like a placeholder stays a name. */
export const filled = (phrase: string, values: Readonly<Record<string, string>>): string =>
  phrase.replace(/\{(\w+)\}/g, (whole, key: string) => (Object.hasOwn(values, key) ? values[key]! : whole))
