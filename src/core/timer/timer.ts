import { DAY, MINUTE } from '../../lib/durations.ts'
import { isoAt, isoOrNull } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'

/** rules.md#timers: the reminder comes this long before `dueAt`, the SOS this long after it. */
const REMINDER_MS = 15 * MINUTE
export const TIMER_GRACE_MS = 5 * MINUTE
/** The furthest ahead of now that `dueAt` may be. */
const MAX_TIMER_AHEAD_MS = 30 * DAY
/** Running timers of one user. */
export const MAX_TIMERS = 5
/** Past timers kept for one user: the newest ones. */
export const MAX_PAST_TIMERS = 20

/**
 * Reminders by SMS within `TIMER_TEXTS_WITHIN_MS`, to one user and to one number: a profile's number is not verified,
 * and a timer can be extended without end. rules.md#timers.
 */
export const MAX_TIMER_TEXTS = 24
export const TIMER_TEXTS_WITHIN_MS = DAY

/** `running`, and finally `ended` (nobody is alarmed) or `raised` (it ran out). */
type TimerStatus = 'running' | 'ended' | 'raised'

/** An overdue timer. Times are epoch ms. */
export type Timer = {
  readonly id: string
  readonly appId: string
  readonly userId: string
  /** When the user is to have reported back. */
  readonly dueAt: number
  /**
   * When it raises the SOS, in the time of the stored deadlines: 5 min after `dueAt`, unless the clock was changed
   * since and is not trusted. rules.md#timers.
   */
  readonly opensAt: number
  /** When the reminder is due; null if there is none, or it was sent. */
  readonly remindsAt: number | null
  readonly note: string | null
  /** The user's position when setting it. */
  readonly position: Position | null
  readonly status: TimerStatus
  /** When it ended or raised the SOS. */
  readonly overAt: number | null
  /** The SOS that it raised or joined. */
  readonly incidentId: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** When a timer for `dueAt` reminds and raises the SOS. A reminder whose moment has passed is left out. */
export const momentsOf = (dueAt: number, now: number): Pick<Timer, 'dueAt' | 'opensAt' | 'remindsAt'> => ({
  dueAt,
  opensAt: dueAt + TIMER_GRACE_MS,
  remindsAt: dueAt - REMINDER_MS > now ? dueAt - REMINDER_MS : null,
})

/** The reason why `dueAt` cannot be used at `now`, worded to follow the field's name; null if it can. */
export function problemOfDueAt(dueAt: number, now: number): string | null {
  if (dueAt <= now) return 'must be in the future'
  return dueAt > now + MAX_TIMER_AHEAD_MS ? 'must be at most 30 days ahead' : null
}

/** The timer object of protocol.md#timers. */
export const timerView = (timer: Timer) => ({
  id: timer.id,
  status: timer.status,
  dueAt: isoAt(timer.dueAt),
  note: timer.note,
  position: timer.position,
  overAt: isoOrNull(timer.overAt),
  incidentId: timer.incidentId,
  createdAt: isoAt(timer.createdAt),
  updatedAt: isoAt(timer.updatedAt),
})

/** The message of protocol.md#events which says that a timer is about to run out. */
export const timerReminder = ({ id, appId, userId, dueAt, opensAt, note }: Timer) => ({
  type: 'timer.reminder' as const,
  appId,
  userId,
  timerId: id,
  dueAt: isoAt(dueAt),
  opensAt: isoAt(opensAt),
  note,
})

export type TimerReminder = ReturnType<typeof timerReminder>
