import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import { type Incident, isOpen } from '../incident/incident.ts'
import { hasTalk, type TalkLine } from '../incident/talk.ts'
import { type Moments, waitMsOf, withOneMore } from '../pacing/rate-limiter.ts'
import type { Language } from '../text/phrases.ts'
import { talkSms } from './talk-sms.ts'

/** Texts to a person who alarmed by SMS, an hour; those with lines of contacts alone leave room for the desk. */
const TEXTS = { times: 10, perMs: HOUR }
const OF_CONTACTS = { times: 5, perMs: HOUR }
/** How far back texts of an SOS count: as long as an incident can last without an alert. */
export const TEXTED_WITHIN_MS = 8 * DAY
/** A text is dropped after this: its lines are old news then. */
export const SMS_TALK_MS = HOUR
/** Lines written so long before the SOS may have been lost with the app's connection. */
const LOOK_BACK_MS = 10 * MINUTE

/** The lines of one text. */
type Lines = { readonly from: number; readonly to: number }

/**
 * One side's texts: up to line `told`, at these moments. `left`: the newest line that a provider has taken.
 * `lost`: the lines of the newest text that none took.
 */
type Told = { readonly told: number; readonly at: Moments; readonly left?: number; readonly lost?: Lines }

/**
 * The texts sent to the number that an SOS came from, stored with its first text. `version`: grows with each change.
 * `stopped`: the number wants no more texts.
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
  | { readonly kind: 'send'; readonly text: string; readonly lines: Lines; readonly talk: SmsTalk }

/**
 * The next text of a side, with as many of its lines as fit. `lines`: oldest first. `askedAt`: of the SOS; epoch ms,
 * like `now`. sms.md#talk-by-sms.
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
  const ms = boundMs(side, talk, now)
  if (ms > 0) return { kind: 'wait', ms }
  const { text, count } = talkSms(language, fresh)
  const to = fresh[count - 1]!.n
  const after: Told = { ...talk[side], told: to, at: withOneMore(at, TEXTS, now) }
  return {
    kind: 'send',
    text,
    lines: { from: fresh[0]!.n, to },
    talk: { ...talk, version: talk.version + 1, [side]: after },
  }
}

/** How long a side's next text waits for the hour's bound. */
function boundMs(side: TextingSide, talk: SmsTalk, now: number): number {
  const all = [...talk.operator.at, ...talk.contact.at].toSorted((a, b) => a - b)
  const ofSide = side === 'contact' ? waitMsOf(talk.contact.at, OF_CONTACTS, now) : 0
  return Math.max(waitMsOf(all, TEXTS, now), ofSide)
}

/** The result of a text: `left` if a provider has taken it, or may have. */
export function withEnd(talk: SmsTalk, side: TextingSide, lines: Lines, end: 'left' | 'lost'): SmsTalk {
  const told = talk[side]
  const change = end === 'left' ? { left: Math.max(told.left ?? 0, lines.to) } : { lost: lines }
  return { ...talk, version: talk.version + 1, [side]: { ...told, ...change } }
}

export const smsWayNames = ['sent', 'queued', 'waits', 'failed', 'stopped'] as const

/** How a line goes by SMS. `until`: when the hour's bound lets it go, epoch ms. */
export type SmsWay =
  | { readonly way: Exclude<(typeof smsWayNames)[number], 'waits'> }
  | { readonly way: 'waits'; readonly until: number }

/**
 * How the lines to the person go by SMS; those from long before the SOS do not. `isPossible`: whether the number may be
 * texted now.
 */
export function smsWays(
  talk: SmsTalk,
  {
    lines,
    askedAt,
    now,
    isPossible,
  }: {
    readonly lines: readonly TalkLine[]
    readonly askedAt: number
    readonly now: number
    readonly isPossible: boolean
  },
): readonly (SmsWay & { readonly n: number })[] {
  return lines.flatMap(({ n, side, at }) =>
    side === 'person' || at < askedAt - LOOK_BACK_MS ? [] : [{ n, ...wayOf(n, side, { talk, now, isPossible }) }],
  )
}

function wayOf(
  n: number,
  side: TextingSide,
  { talk, now, isPossible }: { readonly talk: SmsTalk; readonly now: number; readonly isPossible: boolean },
): SmsWay {
  const { told, at, left = 0, lost } = talk[side]
  if (n <= told) {
    if (lost !== undefined && n >= lost.from && n <= lost.to) return { way: 'failed' }
    if (n <= left) return { way: 'sent' }
    // A crash in between loses it.
    return { way: now - (at.at(-1) ?? now) < SMS_TALK_MS ? 'queued' : 'failed' }
  }
  if (talk.stopped) return { way: 'stopped' }
  if (!isPossible) return { way: 'failed' }
  const ms = boundMs(side, talk, now)
  return ms > 0 ? { way: 'waits', until: now + ms } : { way: 'queued' }
}

/** The line that a person's text becomes, if it goes to contacts at all. `isNamed`: an answer named who may read it. */
export const readersOfText = (
  { silent }: Pick<Incident, 'silent'>,
  { isNamed }: { readonly isNamed: boolean },
): 'desk' | null => (silent === true || !isNamed ? 'desk' : null)
