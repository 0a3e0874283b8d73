import { batch, computed, signal } from '@preact/signals'
import { speakTo } from '../api/client.ts'
import type { AdministrationTexts } from '../texts/administration/en.ts'
import type { Texts } from '../texts/en.ts'

/** The texts of each language, in a file of its own that is loaded when the language is chosen. */
const files = {
  en: async (): Promise<Texts> => (await import('../texts/en.ts')).en,
  de: async (): Promise<Texts> => (await import('../texts/de.ts')).de,
  fr: async (): Promise<Texts> => (await import('../texts/fr.ts')).fr,
  it: async (): Promise<Texts> => (await import('../texts/it.ts')).it,
  es: async (): Promise<Texts> => (await import('../texts/es.ts')).es,
}
/** Those of the pages in `administration.ts`, in a second file that is loaded with the first of them. */
const administrationFiles = {
  en: async (): Promise<AdministrationTexts> => (await import('../texts/administration/en.ts')).administration,
  de: async (): Promise<AdministrationTexts> => (await import('../texts/administration/de.ts')).administration,
  fr: async (): Promise<AdministrationTexts> => (await import('../texts/administration/fr.ts')).administration,
  it: async (): Promise<AdministrationTexts> => (await import('../texts/administration/it.ts')).administration,
  es: async (): Promise<AdministrationTexts> => (await import('../texts/administration/es.ts')).administration,
}
export type Language = keyof typeof files
export const languages = Object.keys(files) as Language[]

const KEY = 'tocsin.language'
const isLanguage = (text: string | null | undefined): text is Language => languages.includes(text as Language)
const first = [localStorage.getItem(KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage)

export const language = signal<Language>(first ?? 'en')
const loaded = signal<Texts | null>(null)
/** The texts of the board, in the language of this screen. Nothing is rendered before they are there. */
export const texts = computed(() => loaded.value!)

/** Null until a page of administration has been opened. */
export const administrationTexts = signal<AdministrationTexts | null>(null)
/** All texts, for pages of administration. */
export const allTexts = computed(() => ({ ...texts.value, ...administrationTexts.value! }))

/** The same with the region of this browser, for dates. */
export const locale = computed(
  () => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value,
)

speakTo(() => language.value)

/** Loads the texts that the first page needs. */
export async function loadTexts(): Promise<void> {
  loaded.value = await files[language.value]()
}

let isAdministrationAsked = false

/** Loads the texts of administration, before the first page that needs them is shown. */
export async function loadAdministrationTexts(): Promise<void> {
  isAdministrationAsked = true
  if (administrationTexts.peek() !== null) return
  const { value: asked } = language
  const found = await administrationFiles[asked]()
  if (asked !== language.value) return loadAdministrationTexts()
  administrationTexts.value = found
}

/** Without a connection, and after an upgrade, the screen stays in its language until it is loaded anew. */
export async function speak(chosen: Language): Promise<void> {
  localStorage.setItem(KEY, chosen)
  const found = await files[chosen]().catch(() => null)
  // Asked only now: a page may have been opened meanwhile.
  const further = isAdministrationAsked ? await administrationFiles[chosen]().catch(() => null) : undefined
  if (found === null || further === null || localStorage.getItem(KEY) !== chosen) return
  batch(() => {
    loaded.value = found
    if (further !== undefined) administrationTexts.value = further
    language.value = chosen
  })
}
