import { computed, signal } from '@preact/signals'
import { speakTo } from '../api/client.ts'
import { de } from '../texts/de.ts'
import { en } from '../texts/en.ts'
import { es } from '../texts/es.ts'
import { fr } from '../texts/fr.ts'
import { it } from '../texts/it.ts'

const all = { en, de, fr, it, es }
export type Language = keyof typeof all
export const languages = Object.keys(all) as Language[]

const KEY = 'tocsin.language'
const isLanguage = (text: string | null | undefined): text is Language => languages.includes(text as Language)
const first = [localStorage.getItem(KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage)

export const language = signal<Language>(first ?? 'en')
/** All texts, in the language of this screen. */
export const texts = computed(() => all[language.value])

/** The same with the region of this browser, for dates. */
export const locale = computed(
  () => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value,
)

speakTo(() => language.value)

export function speak(chosen: Language): void {
  language.value = chosen
  localStorage.setItem(KEY, chosen)
}
