import type { EventTime } from '../ingest/event-time.ts'
import { type Incident, isOpen } from './incident.ts'

/**
 * Which alarm a user's end is for. `incident`: this one or none. `press`: the one that this press of the caller's own
 * opened or joined; `deviceId` and `sentAt` as they were sent. `unnamed`: the open one, if it is decided by `decideBy`
 * and was opened before `since`, the first byte of the request (epoch ms of the store's clock, without the allowance
 * between nodes). rules.md#ends.
 */
export type End =
  | { readonly kind: 'incident'; readonly incidentId: string }
  | { readonly kind: 'press'; readonly deviceId: string | null; readonly sentAt: SentTime }
  | { readonly kind: 'unnamed'; readonly since: number; readonly decideBy: number }

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
}

/** `isPressedAgain`: an own source has pressed after the press that was named. */
export type NamedIncident = { readonly incidentId: string; readonly isPressedAgain: boolean }

/** `ended`: of a named end, whether what it names is over now, by anyone. `too_late`: nothing was decided. */
export type EndJudgement = {
  readonly ends: boolean
  readonly verdict: 'changed' | 'unchanged' | 'too_late'
  readonly ended?: boolean
}

/**
 * Whether an end ends `open`, the user's open incident. An end that waited must not end the next alarm.
 * rules.md#ends.
 */
export function judgeEnd(end: End, open: Incident | null, { at, skewMs, isWithdrawn, named }: EndFacts): EndJudgement {
  switch (end.kind) {
    case 'incident':
    case 'press': {
      const namedId = named?.incidentId ?? (end.kind === 'incident' ? end.incidentId : null)
      if (open === null || !isOpen(open) || open.id !== namedId) {
        return { ends: false, verdict: 'unchanged', ended: named !== null }
      }
      const ends = named?.isPressedAgain !== true
      return { ends, verdict: ends ? 'changed' : 'unchanged', ended: ends }
    }
    case 'unnamed': {
      if (isWithdrawn === true || at > end.decideBy) return { ends: false, verdict: 'too_late' }
      const ends = open !== null && isOpen(open) && open.openedAt <= end.since + skewMs
      return { ends, verdict: ends ? 'changed' : 'unchanged' }
    }
    default:
      return end satisfies never
  }
}
