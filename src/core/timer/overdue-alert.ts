import type { Command } from '../incident/command.ts'
import { eventTimeAt, parseEventTime } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import type { Timer } from './timer.ts'

type Raise = Extract<Command, { type: 'raise' }>

/**
 * The command with which a timer that ran out raises the SOS of its user. Its event time is `dueAt`. `lastKnown`: the
 * positions known of the user; the newest of them and of the timer's own counts. rules.md#timers.
 */
export function overdueRaise(
  { userId, dueAt, note, position }: Timer,
  lastKnown: readonly Position[],
  { now, incidentId, linkSecret }: Pick<Raise, 'now' | 'incidentId' | 'linkSecret'>,
): Raise {
  const at = eventTimeAt(dueAt)
  const places = [position, ...lastKnown].flatMap((one) => {
    const time = one && parseEventTime(one.at)
    return one && time ? [{ at: time, position: one }] : []
  })
  const place = places.toSorted((a, b) => b.at.ms - a.at.ms)[0] ?? null
  return {
    type: 'raise',
    now,
    // Nothing was sent, so there is nothing to compare it with.
    alert: { payload: { timestamp: at.text }, at, receivedAt: now, warnings: [], fingerprint: null },
    reporterId: userId,
    incidentId,
    linkSecret,
    overdue: { dueAt, note, place },
  }
}
