import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import { parseEventTime } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import { filled, type Language } from './phrases.ts'
import type { Phrases } from './placeholders.ts'

/** A precision of about 11 m, as good as a tracker's fix, and of 1 m if length does not matter. */
const SHORT_DECIMALS = 4
const FULL_DECIMALS = 5

/** The user's position in every form that a message may use. Each includes its age: an old position misleads. */
export type PositionTexts = {
  /** For SMS, from the fullest form to the shortest. A tap opens each on a map. */
  readonly links: readonly string[]
  /** For an SMS without room for those: coordinates that can be read out to rescuers. */
  readonly bare: string
  readonly chat: () => string
  readonly spoken: () => string
}

type PositionWords = {
  /** The source of the position, if it should be named. */
  readonly source?: string | null
  /** The application's, with `{lat}` and `{lon}`. Absent or null: the built-in one. */
  readonly mapLink?: string | null
}

/** Builds all forms of a position. `words`: the phrases of `language`. `now`: epoch ms. */
export function positionTexts(
  language: Language,
  words: Phrases,
  position: Position,
  now: number,
  { source = null, mapLink = null }: PositionWords = {},
): PositionTexts {
  const ages = agesOf(language, words, now - (parseEventTime(position.at)?.ms ?? now))
  const from = source === null ? '' : `${source}, `
  const briefly = from + ages.brief
  const fully = () => from + ages.full()
  const inSentence = (text: string) => (source === null ? text : `(${text})`)
  const [latitude, longitude] = degrees(position, SHORT_DECIMALS)
  const map = mapAt([latitude, longitude], mapLink)
  return {
    links: [
      filled(words.position, { age: inSentence(briefly), map }),
      `${map} (${briefly})`,
      // Phones turn it into a link even without the scheme.
      `${map.slice('https://'.length)} (${briefly})`,
    ],
    bare: `${latitude},${longitude} (${briefly})`,
    chat: () =>
      filled(words.position, { age: inSentence(fully()), map: mapAt(degrees(position, FULL_DECIMALS), mapLink) }),
    spoken: () => filled(words.spokenPosition, { age: fully(), latitude, longitude }),
  }
}

/**
 * Google's address, because tapping it opens the map application on either kind of phone. A `geo:` address is not
 * clickable in an SMS, and openstreetmap.org opens only a web page. The numbers in the address can be read out to a
 * rescue service as they are.
 */
const BUILT_IN = 'https://maps.google.com/?q={lat},{lon}'

/** The map address of a position. `template`: the application's, with `{lat}` and `{lon}`; null: the built-in one. */
export const mapAt = ([latitude, longitude]: Degrees, template: string | null): string =>
  (template ?? BUILT_IN).replace('{lat}', latitude).replace('{lon}', longitude)

type Degrees = readonly [latitude: string, longitude: string]

const degrees = ({ latitude, longitude }: Position, decimals: number): Degrees => {
  // Adding 0 turns a rounded -0 into 0.
  const text = (value: number) => (Number(value.toFixed(decimals)) + 0).toFixed(decimals)
  return [text(latitude), text(longitude)]
}

/** An age, abbreviated as in an SMS and in the language's own words. */
export function agesOf(language: Language, words: Phrases, ms: number) {
  const age = ageOf(ms)
  return {
    brief: age === null ? words.now : filled(words[age.unit], { n: String(age.n) }),
    // Costs more than the rest of an SMS, which does not need it.
    full: () => (age === null ? words.now : new Intl.RelativeTimeFormat(language).format(-age.n, age.unit)),
  }
}

/**
 * Up to two hours are given in minutes, up to two days in hours. Null: less than a minute, or in the future by our
 * clock.
 */
function ageOf(ms: number): { readonly n: number; readonly unit: 'minutes' | 'hours' | 'days' } | null {
  if (ms < MINUTE) return null
  if (ms < 2 * HOUR) return { n: Math.floor(ms / MINUTE), unit: 'minutes' }
  if (ms < 2 * DAY) return { n: Math.floor(ms / HOUR), unit: 'hours' }
  return { n: Math.floor(ms / DAY), unit: 'days' }
}
