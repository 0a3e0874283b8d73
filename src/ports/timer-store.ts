import type { Command } from '../core/incident/command.ts'
import type { NewTimer } from '../core/timer/decide.ts'
import type { Timer } from '../core/timer/timer.ts'
import type { Committed } from './incident-store.ts'
import type { Page, ScopedQuery } from './page.ts'

/**
 * The user's running timer to change: the one with this id or, if `timerId` is null, the one that is due next. Times
 * are epoch ms.
 */
export type TimerKey = { readonly userId: string; readonly timerId: string | null }

/** A running timer with whose it is. */
export type RunningTimer = Timer & { readonly externalUserId: string; readonly userName: string | null }

/** A reminder that is about to go out by SMS. `id`: new. `phone`: E.164. `now`: epoch ms. */
type TimerText = {
  readonly id: string
  readonly userId: string
  readonly phone: string
  readonly now: number
}

/** Overdue timers. rules.md#timers. */
export type TimerStore = {
  /** One that runs for the same moment is the same timer: it is returned as it is, with `isNew` false. */
  setTimer(
    timer: NewTimer,
  ): Promise<
    { readonly timer: Timer; readonly isNew: boolean } | { readonly refused: 'timer_limit' | 'user_not_found' }
  >
  /** Moves it to a later moment. `dueAt` that is not later changes nothing. */
  extendTimer(
    key: TimerKey & { readonly dueAt: number; readonly now: number },
  ): Promise<Timer | { readonly refused: 'timer_not_found' | 'timer_over' }>
  /** Ending one that has ended succeeds; one that has raised an SOS stays so. */
  endTimer(
    key: TimerKey & { readonly now: number },
  ): Promise<Timer | { readonly refused: 'timer_not_found' | 'timer_over' }>
  /** The running ones, due next first, then those that are over and still kept, newest first. */
  timers(userId: string): Promise<readonly Timer[]>
  /** The running ones, due next first. `text`: in the external id, the name or the note. */
  timerPage(query: ScopedQuery): Promise<Page<RunningTimer>>
  /**
   * Running timers whose SOS is due at `now`, most overdue first, at most `max`, behind `after`: the last one of the
   * previous call.
   */
  overdueTimers(now: number, max: number, after: Pick<Timer, 'opensAt' | 'id'> | null): Promise<readonly Timer[]>
  /**
   * `nextAt`: the earliest moment at which a running timer has something to do, or null. `areMoved`: the clock has
   * moved deadlines away from `dueAt`.
   */
  timerAgenda(): Promise<{ readonly nextAt: number | null; readonly areMoved: boolean }>
  /**
   * Runs `command` on the open incident of the timer's user, in the transaction in which the timer turns `raised`. Null
   * if it no longer runs, or is not due yet.
   */
  raiseTimer(timerId: string, command: Extract<Command, { type: 'raise' }>): Promise<Committed | null>
  /** Takes at most `max` reminders that are due at `now`, for this process alone. Other nodes get their events. */
  takeReminders(now: number, max: number): Promise<readonly Timer[]>
  /**
   * Counts a reminder by SMS, where the last `TIMER_TEXTS_WITHIN_MS` leave room for one more: to the user, and to the
   * number. False: there is none.
   */
  countTimerText(text: TimerText): Promise<boolean>
  /** The date is believed: running timers are due by the wall clock again. Returns how many were not; at most `max`. */
  anchorTimers(max: number): Promise<number>
}
