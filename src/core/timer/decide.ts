import type { Decided } from '../decided.ts'
import { MAX_PAST_TIMERS, MAX_TIMER_TEXTS, MAX_TIMERS, momentsOf, type Timer } from './timer.ts'

/** The user who sets a timer. `appId`: null for an unknown user. `running`: that user's running timers. */
export type TimerOwner = { readonly appId: string | null; readonly running: readonly Timer[] }

export type NewTimer = Pick<Timer, 'id' | 'userId' | 'dueAt' | 'note' | 'position'> & { readonly now: number }
export type TimerExtension = { readonly userId: string; readonly dueAt: number; readonly now: number }
export type TimerEnd = Pick<TimerExtension, 'userId' | 'now'>

/** `forget`: deletes the user's past timers, except the newest `keep`. */
export type TimerChanges = {
  readonly insert?: Timer
  readonly update?: Timer
  readonly forget?: { readonly userId: string; readonly keep: number }
}

type Changed = Decided<TimerChanges, Timer, 'timer_not_found' | 'timer_over'>

/** Sets a timer. A running one for the same moment is the same timer. rules.md#timers. */
export function decideSetTimer(
  { appId, running }: TimerOwner,
  { id, userId, dueAt, note, position, now }: NewTimer,
): Decided<TimerChanges, { readonly timer: Timer; readonly isNew: boolean }, 'user_not_found' | 'timer_limit'> {
  if (appId === null) return { refused: 'user_not_found' }
  const same = running.find((other) => other.dueAt === dueAt)
  if (same !== undefined) return { result: { timer: same, isNew: false } }
  if (running.length >= MAX_TIMERS) return { refused: 'timer_limit' }
  const timer: Timer = {
    ...{ id, appId, userId, ...momentsOf(dueAt, now), note, position },
    ...{ status: 'running', overAt: null, incidentId: null, createdAt: now, updatedAt: now },
  }
  return { insert: timer, forget: { userId, keep: MAX_PAST_TIMERS }, result: { timer, isNew: true } }
}

/** Extends a timer, which can only move to a later moment. rules.md#timers. */
export function decideExtendTimer(timer: Timer | null, { userId, dueAt, now }: TimerExtension): Changed {
  if (timer === null || timer.userId !== userId) return { refused: 'timer_not_found' }
  if (timer.status !== 'running') return { refused: 'timer_over' }
  return dueAt <= timer.dueAt ? { result: timer } : updated({ ...timer, ...momentsOf(dueAt, now), updatedAt: now })
}

/** Ends a timer. An ended one stays ended, and one that has raised an SOS cannot end. rules.md#timers. */
export function decideEndTimer(timer: Timer | null, { userId, now }: TimerEnd): Changed {
  if (timer === null || timer.userId !== userId) return { refused: 'timer_not_found' }
  if (timer.status === 'raised') return { refused: 'timer_over' }
  return timer.status === 'ended' ? { result: timer } : updated({ ...timer, ...over('ended', now) })
}

/** Whether the timer raises its user's SOS now. */
export const raisesNow = ({ status, opensAt }: Timer, now: number): boolean => status === 'running' && opensAt <= now

/** The number of reminders by SMS within `TIMER_TEXTS_WITHIN_MS`. `ofUser`: null for an unknown user. */
export type TimerTextCounts = { readonly ofUser: number | null; readonly ofPhone: number }

/** Whether another reminder by SMS may be sent. rules.md#timers. */
export const mayTextTimer = ({ ofUser, ofPhone }: TimerTextCounts): boolean =>
  ofUser !== null && ofUser < MAX_TIMER_TEXTS && ofPhone < MAX_TIMER_TEXTS

/** The timer after it has raised the SOS, or joined the open one. */
export const raisedTimer = (timer: Timer, incidentId: string | null, now: number): Timer => ({
  ...timer,
  ...over('raised', now),
  incidentId,
})

const over = (status: 'ended' | 'raised', now: number) => ({ status, overAt: now, remindsAt: null, updatedAt: now })

const updated = (timer: Timer) => ({ update: timer, result: timer })
