import { computed, signal } from '@preact/signals'
import { de } from '../texts/de.ts'
import { en } from '../texts/en.ts'
import { es } from '../texts/es.ts'
import { fr } from '../texts/fr.ts'
import { it } from '../texts/it.ts'

const all = { en, de, fr, it, es }
export type Language = keyof typeof all
export const languages = Object.keys(all) as Language[]

const KEY = 'tocsin.app.language'
const isLanguage = (text: string | null | undefined): text is Language => languages.includes(text as Language)

/** A browser that keeps nothing has no storage to ask. */
function chosen(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export const language = signal<Language>(
  [chosen(), ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage) ?? 'en',
)
/** All texts, in the language of this screen. */
export const texts = computed(() => all[language.value])

export function speak(next: Language): void {
  language.value = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // It lasts until the app is closed.
  }
}
