import { DAY } from '../../lib/durations.ts'
import { compareEventTimes, type EventTime } from '../ingest/event-time.ts'
import { type Incident, isOpen } from './incident.ts'

/**
 * Which alarm a user's end is for. `incident`: this one or none. `press`: the one that this press of the caller's own
 * opened or joined; `deviceId` and `sentAt` as they were sent. `unnamed`: the open one, if it is decided by `decideBy`
 * and was opened before `since`, the first byte of the request (epoch ms of the store's clock, without the allowance
 * between nodes). rules.md#ends.
 */
export type End =
  | { readonly kind: 'incident'; readonly incidentId: string }
  | PressName
  | { readonly kind: 'unnamed'; readonly since: number; readonly decideBy: number }

export type NamedEnd = Exclude<End, { readonly kind: 'unnamed' }>

/** `sentAt`: null if a stopped clock gave it, which may be the time of every press. */
export type PressName = { readonly kind: 'press'; readonly deviceId: string | null; readonly sentAt: SentTime | null }

/** The instant of a press as its sender wrote it, whatever the service counts as its event time. */
type SentTime = Omit<EventTime, 'text'>

/** What a store knows of an end when it decides. */
export type EndFacts = {
  /** The moment of this decision by the store's clock, epoch ms: the command may have waited since its own `now`. */
  readonly at: number
  /** By how much the clocks of two nodes may differ. */
  readonly skewMs: number
  /** Its client has gone, and may have ended the alarm another way. */
  readonly isWithdrawn?: boolean
  /** The user's incident that the name leads to, drills apart. Null: there is none. */
  readonly named: NamedIncident | null
  /** The press that it names has come behind an earlier end of the same name, and opened nothing. */
  readonly hasCome?: boolean
}

/**
 * `isPressedAgain`: an own source has pressed after the press that was named. `isSent`: that press came from the
 * caller's session.
 */
export type NamedIncident = {
  readonly incidentId: string
  readonly isPressedAgain: boolean
  readonly isSent: boolean
}

/**
 * `ended`: of a named end, whether what it names is over now, by anyone. `awaits`: the press that it names is still on
 * its way, and opens nothing when it comes. `too_late`: nothing was decided.
 */
export type EndJudgement = {
  readonly ends: boolean
  readonly verdict: 'changed' | 'unchanged' | 'too_late'
  readonly ended?: boolean
  readonly awaits?: true
}

/**
 * Whether an end ends `open`, the user's open incident. An end that waited must not end the next alarm.
 * rules.md#ends.
 */
export function judgeEnd(end: End, open: Incident | null, facts: EndFacts): EndJudgement {
  switch (end.kind) {
    case 'incident':
      return judged(facts.named?.incidentId ?? end.incidentId, open, facts)
    case 'press': {
      const { named } = facts
      const awaits = end.sentAt !== null && named?.isSent !== true
      return { ...judged(named?.incidentId ?? null, open, facts), ...(awaits && { awaits }) }
    }
    case 'unnamed': {
      if (facts.isWithdrawn === true || facts.at > end.decideBy) return { ends: false, verdict: 'too_late' }
      // One opened after this decision was opened by a clock that was ahead: it cannot be the next alarm.
      const isEarlier = ({ openedAt }: Incident): boolean =>
        openedAt <= end.since + facts.skewMs || openedAt > facts.at + facts.skewMs
      const ends = open !== null && isOpen(open) && isEarlier(open)
      return { ends, verdict: ends ? 'changed' : 'unchanged' }
    }
    default:
      return end satisfies never
  }
}

function judged(namedId: string | null, open: Incident | null, { named, hasCome = false }: EndFacts): EndJudgement {
  const isMeant = open !== null && isOpen(open) && open.id === namedId
  if (!isMeant) return { ends: false, verdict: 'unchanged', ended: named !== null || hasCome }
  const ends = named?.isPressedAgain !== true
  return { ends, verdict: ends ? 'changed' : 'unchanged', ended: ends }
}

/** For how long the end of a press that is still on its way counts. */
export const AWAITED_MS = DAY
/** How many of them count for one user: the newest. */
export const MAX_AWAITED = 20

/** Who sent an alert. `timer`: nobody, a timer ran out. Null: an earlier version kept it. */
export type SentBy = 'session' | 'device' | 'relay' | 'other' | 'timer'

/** A stored alert, as far as it matters to an end that names a press. */
export type StoredPress = {
  readonly incidentId: string
  /** Arrival, epoch ms. */
  readonly receivedAt: number
  /** The event time that counted. */
  readonly at: SentTime
  readonly sentBy: SentBy | null
}

/** Whether `press` came after `named`, from one of the owner's own sources: by its arrival or by its event time. */
export const isLaterPress = (press: StoredPress, named: StoredPress): boolean =>
  press.sentBy !== 'other' &&
  press.sentBy !== 'timer' &&
  (press.receivedAt > named.receivedAt || compareEventTimes(press.at, named.at) > 0)
