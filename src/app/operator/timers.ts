import type { User } from '../../core/account/profile.ts'
import type { TimerSet } from '../../core/timer/timer-schema.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Store } from '../../ports/store.ts'
import { type OwnTimers, ownTimers } from '../user/own-timers.ts'
import { type By, rowBy } from './by.ts'

type OperatorTimerNeeds = {
  readonly store: Pick<Store, 'audited' | 'timers'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Log
  readonly meter: Meter
}
type Owner = Pick<User, 'id' | 'appId'>
type Changed<K extends 'set' | 'extend' | 'end'> = ReturnType<OwnTimers[K]>

/**
 * The overdue timers of any user, for an operator: the users' own operations, with an audit row in the same
 * transaction. `timerId` null: the running timer due next. rules.md#timers.
 */
export function operatorTimers({ store, ids, log, meter }: OperatorTimerNeeds) {
  const ofUser = ({ id, appId }: Owner, change: string, by: By): OwnTimers => {
    const audited = store.audited(rowBy(by, { action: 'timer.change', appId, userId: id, details: { change } }))
    const clock = { now: () => by.now }
    return ownTimers({ store: { ...audited, timers: store.timers }, clock, ids, log, meter })
  }
  return {
    set: (user: Owner, given: TimerSet, by: By): Changed<'set'> =>
      ofUser(user, 'timer set', by).set({ userId: user.id }, given),
    extend: (user: Owner, timerId: string | null, dueAt: string, by: By): Changed<'extend'> =>
      ofUser(user, 'timer extended', by).extend({ userId: user.id }, timerId, dueAt),
    end: (user: Owner, timerId: string | null, by: By): Changed<'end'> =>
      ofUser(user, 'timer ended', by).end({ userId: user.id }, timerId),
  }
}
