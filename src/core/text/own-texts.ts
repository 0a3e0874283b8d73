import { isGsm7, segmentsOf } from './gsm7.ts'
import { type Language, phrases } from './phrases.ts'
import { type PhraseKey, type Phrases, placeholders } from './placeholders.ts'

/**
 * Keys of earlier versions. An own text of one of them is still used as it was meant, and can be removed; it can no
 * longer be set. `times` has the name of the zone in its words (UTC), which `late` leaves to the time.
 */
const formerKeys = ['times'] as const
export type FormerKey = (typeof formerKeys)[number]
export type TextKey = PhraseKey | FormerKey

/** Texts that an operator has set for an application in place of the built-in ones, by language and key. */
export type OwnTexts = { readonly [L in Language]?: { readonly [K in TextKey]?: string } }

export const phraseKeys = Object.keys(placeholders) as PhraseKey[]
export const isPhraseKey = (key: TextKey): key is PhraseKey => Object.hasOwn(placeholders, key)
export const textKeys: readonly TextKey[] = [...phraseKeys, ...formerKeys]
export const languages = Object.keys(phrases) as Language[]

const LONGEST_TEXT = 300

/** The phrases of one language as an application has them. */
export const phrasesOf = (language: Language, own: OwnTexts = {}): Phrases => ({
  ...phrases[language],
  ...own[language],
})

/** Whether an SMS may hold this phrase: what is only spoken has no alphabet to keep to. */
const isSpokenOnly = (key: PhraseKey): boolean => key.startsWith('spoken')

/**
 * Why `text` cannot stand for `key`, in words that follow its name, or null. Every placeholder of the key has to be
 * there: an alarm that does not say who, or a position without its age, misleads.
 */
export function problemOfText(key: PhraseKey, text: string): string | null {
  if (text.trim() === '') return 'must not be empty'
  if (text.length > LONGEST_TEXT) return `must not be longer than ${LONGEST_TEXT} characters`
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return 'must be one line of readable characters'
  const known: readonly string[] = placeholders[key]
  const named = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)
  const unknown = named.find((name) => !known.includes(name))
  const may = known.length === 0 ? 'has no placeholders' : `may name ${known.map(inBraces).join(', ')}`
  if (unknown !== undefined) return `names {${unknown}}, but ${key} ${may}`
  if (/[{}]/.test(text.replace(/\{[^{}]*\}/g, ''))) return 'has a brace without its other half'
  const missing = known.find((name) => !named.includes(name))
  return missing === undefined ? null : `must name {${missing}}`
}

const inBraces = (name: string): string => `{${name}}`

/** As much as the usual name and tracking link take. */
const USUAL_NAME = 'Maximilian Mustermann'
const USUAL_LINK = 'https://sos.example.com/t/0123456789abcdefghijkl'
/**
 * Phrases with which an SMS begins, followed by the tracking link, and how many segments that may take: an
 * alarm has more to say.
 */
const openings: { readonly [K in PhraseKey]?: 1 | 2 } = {
  alarm: 1,
  again: 1,
  helperSilent: 2,
  cancelled: 1,
  resolved: 1,
  over: 1,
  endedBy: 1,
  endedByUser: 2,
  closedAlone: 2,
  closedAnswered: 2,
  checkIn: 2,
  lastCall: 2,
}
/** What usually takes the place of a placeholder. */
const usual: Readonly<Record<string, string>> = {
  who: USUAL_NAME,
  name: 'Ana',
  pressed: '14:32 CET',
  ends: '14:32 CET',
  after: '24 h',
}

/** What an operator should know of a text that can be used: what makes an SMS of it dearer and less sure. */
export function warningsOfText(key: PhraseKey, text: string): readonly string[] {
  if (isSpokenOnly(key)) return []
  const sent = text.replace(/\{(\w+)\}/g, (_, name) => usual[name] ?? '')
  const segments = segmentsOf(openings[key] === undefined ? sent : `${sent} ${USUAL_LINK}`)
  return [
    ...(isGsm7(sent)
      ? []
      : ['it leaves the 7-bit alphabet of SMS, so that a segment holds 70 characters instead of 160']),
    ...(segments > (openings[key] ?? 1) ? [`with a usual name and link an SMS of it needs ${segments} segments`] : []),
  ]
}
