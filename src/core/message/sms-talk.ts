import { HOUR, MINUTE } from '../../lib/durations.ts'
import { type Incident, isOpen } from '../incident/incident.ts'
import { hasTalk, type TalkLine } from '../incident/talk.ts'
import { type Moments, waitMsOf, withOneMore } from '../pacing/rate-limiter.ts'
import type { Language } from '../text/phrases.ts'
import { talkSms } from './talk-sms.ts'

/** Texts to a person who alarmed by SMS, an hour; those with lines of contacts alone leave room for the desk. */
const TEXTS = { times: 10, perMs: HOUR }
const OF_CONTACTS = { times: 5, perMs: HOUR }
/** Lines written so long before the SOS may have been lost with the app's connection. */
const LOOK_BACK_MS = 10 * MINUTE

/** What one side has texted: up to line `told`, at these moments. */
type Told = { readonly told: number; readonly at: Moments }

/**
 * What went to the number that an SOS came from, stored with its first text. `version`: grows with each change.
 * `stopped`: the number wants no more of it.
 */
export type SmsTalk = {
  readonly version: number
  readonly operator: Told
  readonly contact: Told
  readonly stopped: boolean
}

export const NO_SMS_TALK: SmsTalk = {
  version: 0,
  operator: { told: 0, at: [] },
  contact: { told: 0, at: [] },
  stopped: false,
}

/** The sides whose lines are texted, in the order in which they leave. */
export const textingSides = ['operator', 'contact'] as const
type TextingSide = (typeof textingSides)[number]

/** Whether the talk may go by SMS. In a silent emergency nothing reaches the phone that rings or shows. */
export const mayText = (incident: Incident): boolean =>
  isOpen(incident) && hasTalk(incident) && incident.silent !== true

export type NextText =
  | { readonly kind: 'none' }
  /** The hour's texts are used up. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** `talk`: to store before the text leaves. */
  | { readonly kind: 'send'; readonly text: string; readonly talk: SmsTalk }

/**
 * The next text of a side, with as many of its lines as fit. `lines`: oldest first. `askedAt`: of the SOS; epoch ms,
 * like `now`. rules.md#talk-by-sms.
 */
export function nextText(
  side: TextingSide,
  {
    talk,
    lines,
    askedAt,
    now,
    language,
  }: {
    readonly talk: SmsTalk
    readonly lines: readonly TalkLine[]
    readonly askedAt: number
    readonly now: number
    readonly language: Language
  },
): NextText {
  const { told, at } = talk[side]
  const fresh = lines.filter((line) => line.side === side && line.n > told && line.at >= askedAt - LOOK_BACK_MS)
  if (talk.stopped || fresh.length === 0) return { kind: 'none' }
  const all = [...talk.operator.at, ...talk.contact.at].toSorted((a, b) => a - b)
  const ofSide = side === 'contact' ? waitMsOf(at, OF_CONTACTS, now) : 0
  const ms = Math.max(waitMsOf(all, TEXTS, now), ofSide)
  if (ms > 0) return { kind: 'wait', ms }
  const { text, count } = talkSms(language, fresh)
  const after: Told = { told: fresh[count - 1]!.n, at: withOneMore(at, TEXTS, now) }
  return { kind: 'send', text, talk: { ...talk, version: talk.version + 1, [side]: after } }
}

/** The line that a person's text becomes, if it goes to contacts at all. `isNamed`: an answer named who may read it. */
export const readersOfText = (
  { silent }: Pick<Incident, 'silent'>,
  { isNamed }: { readonly isNamed: boolean },
): 'desk' | null => (silent === true || !isNamed ? 'desk' : null)
