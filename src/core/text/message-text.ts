import { isoAt, MINUTE } from '../event-time.ts'
import type { Position } from '../payload.ts'
import { segmentsOf, withoutForeignAccents } from './gsm7.ts'
import { type OwnTexts, phrasesOf } from './own-texts.ts'
import { LONGEST_NAME, neutralName, shortened } from './person-name.ts'
import { filled, type Phrases, textLanguage } from './phrases.ts'
import { type PositionTexts, positionTexts } from './position-text.ts'

/** What a message is about. Times are epoch milliseconds. */
export type Facts = {
  /** The user, as messages name them. Anything at all: it is made harmless here. */
  readonly who: string
  /** This contact's tracking link, or null where the reader has none (chat). */
  readonly trackingUrl: string | null
  readonly position: Position | null
  readonly pressedAt: number
  readonly receivedAt: number
  readonly now: number
  readonly closedAs: 'cancelled' | 'resolved' | null
}

export type TextForm = 'sms' | 'voice' | 'chat'
export type TextPurpose = 'alarm' | 'all_clear'

/** Up to here an alert counts as having arrived when it was pressed. */
const TELLING_DELAY_MS = 2 * MINUTE
/** A name in an SMS is not cut shorter than this: who it is comes before the number of segments. */
const SHORTEST_NAME = 20

/**
 * The text that tells somebody of an SOS, or that it is over. `languages`: BCP 47, in order of preference. Every alarm says who needs
 * help, where to answer, and when it was pressed and arrived if that is not the same; an SMS adds the position with its age and a
 * request to confirm as far as its segment has room. `own`: the application's texts, which go before the built-in ones.
 * Decisions 3 and 4.
 */
export function messageText(
  form: TextForm,
  purpose: TextPurpose,
  languages: readonly string[],
  facts: Facts,
  own: OwnTexts = {},
): string {
  const language = textLanguage(languages)
  const words = phrasesOf(language, own)
  const who = shortened(neutralName(facts.who) || words.somebody, LONGEST_NAME)
  if (purpose === 'all_clear') return allClear(form, words, who, facts)
  const position = positionTexts(language, words, facts.position, facts.now)
  const times = timesIn(words, facts)
  switch (form) {
    case 'sms':
      return smsAlarm(words, withoutForeignAccents(who), { link: facts.trackingUrl, times, position })
    case 'voice': {
      const link = facts.trackingUrl === null ? null : words.spokenLink
      return joined(' ', [filled(words.spokenAlarm, { who }), times, position.spoken, link])
    }
    case 'chat':
      return joined('\n', [filled(words.alarm, { who }), facts.trackingUrl, times, position.chat])
    default:
      return form satisfies never
  }
}

/** The link comes along: it says which SOS is meant, and a sent text is found again by it. */
function allClear(form: TextForm, words: Phrases, who: string, { closedAs, trackingUrl }: Facts): string {
  const text = (name: string) => joined(' ', [filled(words[closedAs ?? 'over'], { who: name }), trackingUrl])
  switch (form) {
    case 'sms':
      return text(nameThatFits(withoutForeignAccents(who), text))
    case 'voice':
      return filled(words[closedAs ?? 'over'], { who })
    case 'chat':
      return text(who)
    default:
      return form satisfies never
  }
}

type SmsParts = { readonly link: string | null; readonly times: string | null; readonly position: PositionTexts }

/** Who, link and times always; the position, then the request to confirm, where they make it no longer. */
function smsAlarm(words: Phrases, who: string, { link, times, position }: SmsParts): string {
  const text = (name: string, place: string | null, confirm: string | null) =>
    joined(' ', [filled(words.alarm, { who: name }), confirm, link, times, place])
  const name = nameThatFits(who, (candidate) => text(candidate, null, null))
  const segments = segmentsOf(text(name, null, null))
  const fits = (candidate: string) => segmentsOf(candidate) <= segments
  const place = position.short.find((form) => fits(text(name, form, null))) ?? null
  const asking = text(name, place, link && words.confirm)
  return fits(asking) ? asking : text(name, place, null)
}

/** The longest form of a name with which `text` is one segment; the whole name where even a short one would not help. */
function nameThatFits(who: string, text: (name: string) => string): string {
  const longest = [...who].length
  for (let length = longest; length >= Math.min(SHORTEST_NAME, longest); length--) {
    const name = shortened(who, length)
    if (segmentsOf(text(name)) === 1) return name
  }
  return who
}

/** When it was pressed and when it arrived, where that is not the same; the day as well, where it is not today. */
function timesIn(words: Phrases, { pressedAt, receivedAt, now }: Facts): string | null {
  if (Math.abs(receivedAt - pressedAt) <= TELLING_DELAY_MS) return null
  return filled(words.times, { pressed: clockTime(pressedAt, now), received: clockTime(receivedAt, now) })
}

/** UTC: nobody knows in which time zone the message is read, and rescuers who get it forwarded read it hours later. */
function clockTime(at: number, now: number): string {
  const [day, time] = [isoAt(at).slice(0, 10), isoAt(at).slice(11, 16)]
  return day === isoAt(now).slice(0, 10) ? time : `${day} ${time}`
}

const joined = (separator: string, texts: readonly (string | null)[]): string =>
  texts.filter((text) => text !== null).join(separator)
