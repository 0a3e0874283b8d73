import { isGsm7, segmentsOf } from './gsm7.ts'
import { type Language, phrases } from './phrases.ts'
import { type PhraseKey, type Phrases, placeholders } from './placeholders.ts'

/**
 * Keys of earlier versions. An own text for one of them is still used as intended and can be removed, but no longer
 * set. `times` includes the name of the zone (UTC) in its text; with `late` the time itself includes it.
 */
const formerKeys = ['times'] as const
type FormerKey = (typeof formerKeys)[number]
export type TextKey = PhraseKey | FormerKey

/** Texts that an operator has set for an application in place of the built-in ones, by language and key. */
export type OwnTexts = { readonly [L in Language]?: { readonly [K in TextKey]?: string } }

export const phraseKeys = Object.keys(placeholders) as PhraseKey[]
export const isPhraseKey = (key: TextKey): key is PhraseKey => Object.hasOwn(placeholders, key)
export const textKeys: readonly TextKey[] = [...phraseKeys, ...formerKeys]
export const languages = Object.keys(phrases) as Language[]

const MAX_TEXT_LENGTH = 300

/** The phrases of one language for an application. */
export const phrasesOf = (language: Language, own: OwnTexts = {}): Phrases =>
  own[language] === undefined ? phrases[language] : { ...phrases[language], ...own[language] }

/** Whether the phrase is only ever spoken, so that it need not keep to the SMS alphabet. */
const isSpokenOnly = (key: PhraseKey): boolean => key.startsWith('spoken')

/**
 * The reason why `text` cannot be used for `key`, worded to follow its name, or null. Every placeholder of the key is
 * required: an alarm without a name, or a position without its age, misleads.
 */
export function problemOfText(key: PhraseKey, text: string): string | null {
  if (text.trim() === '') return 'must not be empty'
  if (text.length > MAX_TEXT_LENGTH) return `must not be longer than ${MAX_TEXT_LENGTH} characters`
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

/** A name and a tracking link of typical length. */
const USUAL_NAME = 'Maximilian Mustermann'
const USUAL_LINK = 'https://sos.example.com/t/0123456789abcdefghijkl'
/**
 * Phrases that begin an SMS and are followed by the tracking link, with the number of segments that both may take.
 * Alarms get fewer, because they have more to say.
 */
const openings: { readonly [K in PhraseKey]?: 1 | 2 } = {
  alarm: 1,
  again: 1,
  helperSilent: 2,
  helperAlone: 2,
  helperWithdrew: 1,
  overdue: 1,
  cancelled: 1,
  resolved: 1,
  over: 1,
  endedBy: 1,
  endedByUser: 2,
  closedAlone: 2,
  closedAnswered: 2,
  checkIn: 2,
  othersComing: 2,
  othersCalling: 2,
  othersHelped: 2,
  lastCall: 2,
  verify: 2,
}
/** Typical values of the placeholders. */
const usual: Readonly<Record<string, string>> = {
  who: USUAL_NAME,
  app: 'Alpine Rescue',
  name: 'Ana',
  pressed: '14:32 CET',
  due: '14:32 CET',
  ends: '14:32 CET',
  after: '24 h',
  n: '20',
}

const filledIn = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name) => usual[name] ?? '')

/** A valid text with typical values, and with the link if an SMS begins with it. */
export const usualText = (key: PhraseKey, text: string): string =>
  openings[key] === undefined ? filledIn(text) : `${filledIn(text)} ${USUAL_LINK}`

/** Warnings about a valid text: whatever makes its SMS more expensive and less reliable. */
export function warningsOfText(key: PhraseKey, text: string): readonly string[] {
  if (isSpokenOnly(key)) return []
  const sent = filledIn(text)
  const segments = segmentsOf(usualText(key, text))
  return [
    ...(isGsm7(sent)
      ? []
      : ['it leaves the 7-bit alphabet of SMS, so that a segment holds 70 characters instead of 160']),
    ...(segments > (openings[key] ?? 1) ? [`with a usual name and link an SMS of it needs ${segments} segments`] : []),
  ]
}
