import type { Command } from '../incident/command.ts'
import { whereaboutsOf } from '../incident/places.ts'
import { eventTimeAt, parseEventTime } from '../ingest/event-time.ts'
import { isOwnSource, type Position } from '../ingest/position.ts'
import type { Timer } from './timer.ts'

type Raise = Extract<Command, { type: 'raise' }>

/**
 * The command with which an expired timer raises its user's SOS. Its event time is `dueAt`. `lastKnown`: the user's
 * known positions; the alarm uses the one, of these and the timer's own, that would be an incident's last position.
 * rules.md#timers, rules.md#positions.
 */
export function overdueRaise(
  { userId, dueAt, note, position }: Timer,
  lastKnown: readonly Position[],
  { now, incidentId, linkSecret }: Pick<Raise, 'now' | 'incidentId' | 'linkSecret'>,
): Raise {
  const at = eventTimeAt(dueAt)
  const places = [position, ...lastKnown]
    .flatMap((one) => {
      const time = one && parseEventTime(one.at)
      return one && time ? [{ at: time, position: one }] : []
    })
    .toSorted((a, b) => b.at.ms - a.at.ms)
  const newest = (own: boolean) => places.find((one) => isOwnSource(one.position.source) === own)?.position ?? null
  const { lastPosition } = whereaboutsOf({ own: newest(true), ofDevice: null, listed: null, other: newest(false) })
  const place = places.find((one) => one.position === lastPosition) ?? null
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
