import type { Session } from '../../core/account/session.ts'
import { isoAt, parseEventTime } from '../../core/ingest/event-time.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import { problemOfDueAt, type Timer } from '../../core/timer/timer.ts'
import type { TimerMessage, TimerSet } from '../../core/timer/timer-schema.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TimerStore } from '../../ports/store.ts'

type OwnTimerNeeds = {
  readonly store: Pick<TimerStore, 'setTimer' | 'extendTimer' | 'endTimer' | 'timers'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Log
  readonly meter: Meter
}

type Owner = Pick<Session, 'userId'>
type BadFields = { readonly refused: readonly FieldProblem[] }
type Unusable = BadFields | { readonly refused: 'timer_not_found' | 'timer_over' }

/**
 * A user's overdue timers. Promises settle after the commit and reject with a StoreError if nothing was stored.
 * `timerId` null: the running timer due next. rules.md#timers.
 */
export function ownTimers({ store, clock, ids, log, meter }: OwnTimerNeeds) {
  const told = (userId: string, timer: Timer, did: 'set' | 'extended' | 'ended'): Timer => {
    meter.count('timers_total', { did })
    log.info({ userId, timerId: timer.id, did, dueAt: isoAt(timer.dueAt) }, 'timer changed')
    return timer
  }
  /** The moment as epoch ms, or the reason why it is unusable. */
  const dueAtOf = (text: string, now: number): number | BadFields => {
    const dueAt = parseEventTime(text)?.ms ?? Number.NaN
    const message = Number.isNaN(dueAt) ? 'must be an RFC 3339 date-time with a zone' : problemOfDueAt(dueAt, now)
    return message === null ? dueAt : { refused: [{ field: 'dueAt', message }] }
  }

  async function set(
    { userId }: Owner,
    sent: TimerSet,
  ): Promise<
    | { readonly timer: Timer; readonly isNew: boolean }
    | BadFields
    | { readonly refused: 'timer_limit' | 'user_not_found' }
  > {
    const now = clock.now()
    const dueAt = dueAtOf(sent.dueAt, now)
    if (typeof dueAt !== 'number') return dueAt
    const { latitude, longitude, altitude = null, accuracy } = sent.position ?? {}
    const isPlaced = latitude !== undefined && longitude !== undefined
    const place = { altitude, ...(accuracy != null && { accuracy }), at: isoAt(now) }
    const set = await store.setTimer({
      id: ids.uuid(),
      userId,
      dueAt,
      note: sent.note || null,
      position: isPlaced ? { latitude, longitude, ...place } : null,
      now,
    })
    if ('refused' in set) return set
    if (set.isNew) told(userId, set.timer, 'set')
    return set
  }

  /** `dueAt`: as sent, or epoch ms (from senders of a duration, such as a LoRaWAN tracker). */
  async function extend({ userId }: Owner, timerId: string | null, dueAt: string | number): Promise<Timer | Unusable> {
    const now = clock.now()
    const until = dueAtOf(typeof dueAt === 'number' ? isoAt(dueAt) : dueAt, now)
    if (typeof until !== 'number') return until
    const timer = await store.extendTimer({ userId, timerId, dueAt: until, now })
    return 'refused' in timer ? timer : told(userId, timer, 'extended')
  }

  async function end({ userId }: Owner, timerId: string | null): Promise<Timer | Unusable> {
    const timer = await store.endTimer({ userId, timerId, now: clock.now() })
    return 'refused' in timer ? timer : told(userId, timer, 'ended')
  }

  return {
    set,
    extend,
    end,

    list: ({ userId }: Owner): Promise<readonly Timer[]> => store.timers(userId),

    /** Carries out a publish. Returns null, or the reason why it cannot be done. */
    async obey(owner: Owner, message: TimerMessage): Promise<string | null> {
      const done =
        message.action === 'set'
          ? await set(owner, message)
          : message.action === 'extend'
            ? await extend(owner, message.timerId ?? null, message.dueAt)
            : await end(owner, message.timerId ?? null)
      if (!('refused' in done)) return null
      // As with an SOS, ending a timer that does not run must not fail, or a retry would.
      if (message.action === 'end' && done.refused === 'timer_not_found') return null
      return typeof done.refused === 'string'
        ? done.refused
        : done.refused.map(({ field, message: why }) => `${field} ${why}`).join('; ')
    },
  }
}

export type OwnTimers = ReturnType<typeof ownTimers>
