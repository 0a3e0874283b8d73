import { DAY } from '../../lib/durations.ts'
import { compareEventTimes, type EventTime } from '../ingest/event-time.ts'
import { type Incident, isOpen } from './incident.ts'

/**
 * The alarm that a user's end refers to. `incident`: this one or none. `press`: the one that this press by the caller
 * opened or joined; `deviceId` and `sentAt` as they were sent. `unnamed`: the open one, if it is decided by `decideBy`
 * and was opened before `since`, the first byte of the request (epoch ms of the store's clock, without the allowance
 * between nodes). rules.md#ends.
 */
export type End =
  | { readonly kind: 'incident'; readonly incidentId: string }
  | PressName
  | { readonly kind: 'unnamed'; readonly since: number; readonly decideBy: number }

export type NamedEnd = Exclude<End, { readonly kind: 'unnamed' }>

/** `sentAt`: null if it came from a stopped clock, which may give every press the same time. */
export type PressName = { readonly kind: 'press'; readonly deviceId: string | null; readonly sentAt: SentTime | null }

/** The instant of a press as its sender wrote it, whatever event time the service uses for it. */
type SentTime = Omit<EventTime, 'text'>

/** The facts about an end that the store has when it decides. */
export type EndFacts = {
  /** The moment of this decision by the store's clock, epoch ms: the command may have waited since its own `now`. */
  readonly at: number
  /** The largest difference between two nodes' clocks. */
  readonly skewMs: number
  /** The client has disconnected, and may have ended the alarm another way. */
  readonly isWithdrawn?: boolean
  /** The user's incident that the name refers to, drills excluded. Null: there is none. */
  readonly named: NamedIncident | null
  /** The named press has arrived, after an earlier end of the same name, and opened nothing. */
  readonly hasCome?: boolean
}

/**
 * `isPressedAgain`: one of the owner's own sources has pressed after the named press. `isSent`: the named press came
 * from the caller's session.
 */
export type NamedIncident = {
  readonly incidentId: string
  readonly isPressedAgain: boolean
  readonly isSent: boolean
}

/**
 * `ended`: of a named end, whether the named alarm is over now, whoever ended it. `awaits`: the named press is still
 * under way and will open nothing when it arrives. `too_late`: nothing was decided.
 */
export type EndJudgement = {
  readonly ends: boolean
  readonly verdict: 'changed' | 'unchanged' | 'too_late'
  readonly ended?: boolean
  readonly awaits?: true
}

/**
 * Judges whether an end closes `open`, the user's open incident. A delayed end must not close the next alarm.
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
      // An incident opened later than this decision was stamped by a fast clock, so it is not the next alarm.
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

/** How long the end of a press that is still under way is kept. */
export const AWAITED_MS = DAY
/** The number of such ends kept for one user: the newest. */
export const MAX_AWAITED = 20

/** The sender of an alert. `timer`: a timer ran out, nobody sent it. Null: stored by an earlier version. */
export type SentBy = 'session' | 'device' | 'relay' | 'other' | 'timer'

/** The fields of a stored alert that matter to an end that names a press. */
export type StoredPress = {
  readonly incidentId: string
  /** Arrival, epoch ms. */
  readonly receivedAt: number
  /** The event time that the service used. */
  readonly at: SentTime
  readonly sentBy: SentBy | null
}

/** Whether `press` came after `named`, from one of the owner's own sources: by its arrival or by its event time. */
export const isLaterPress = (press: StoredPress, named: StoredPress): boolean =>
  press.sentBy !== 'other' &&
  press.sentBy !== 'timer' &&
  (press.receivedAt > named.receivedAt || compareEventTimes(press.at, named.at) > 0)
