import type { Decided, Refused } from '../../../../core/decided.ts'
import {
  decideEndTimer,
  decideExtendTimer,
  decideSetTimer,
  mayTextTimer,
  raisedTimer,
  raisesNow,
  type TimerChanges,
  type TimerOwner,
  type TimerTextCounts,
} from '../../../../core/timer/decide.ts'
import { TIMER_TEXTS_WITHIN_MS, type Timer, timerReminder } from '../../../../core/timer/timer.ts'
import type { TimerKey, TimerStore } from '../../../../ports/store.ts'
import { anchorSql, TIMERS, timerTextsSql } from '../../shared/timers.ts'
import { insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { incidentDoor } from '../incidents/change-incident.ts'
import { timerOf } from './read-timers.ts'

function timerRows({ db, part, leaveNotice }: WriteContext) {
  const byId = db.prepare<[string], Row>(`${TIMERS} WHERE timers.id = ?`)
  const running = db.prepare<[string], Row>(
    `${TIMERS} WHERE timers.user_id = +? AND status = 'running' ORDER BY due_at, timers.id`,
  )
  const appOf = db.prepare<[string], string>('SELECT app_id FROM users WHERE id = ?').pluck()
  const insert = db.prepare<Row>(insertSql('timers'))
  const update = db.prepare<Row>(updateSql('timers'))
  const forget = db.prepare<[string, number]>(
    `DELETE FROM timers WHERE id IN (
       SELECT id FROM timers WHERE user_id = ? AND status <> 'running' ORDER BY over_at DESC, id LIMIT -1 OFFSET ?
     )`,
  )
  const rowOf = toRow<Timer>('timers')
  const timerFrom = (row: Row | undefined): Timer | null => (row === undefined ? null : timerOf(row))
  const loadById = (timerId: string): Timer | null => timerFrom(byId.get(timerId))
  return {
    leaveNotice,
    changeIncident: part(incidentDoor).changeIncident,

    loadOwner: (userId: string): TimerOwner => ({
      appId: appOf.get(userId) ?? null,
      running: running.all(userId).map(timerOf),
    }),
    loadById,
    loadOne: ({ userId, timerId }: TimerKey): Timer | null =>
      timerId === null ? timerFrom(running.get(userId)) : loadById(timerId),

    save<R, C extends string>(decided: Decided<TimerChanges, R, C>): R | Refused<C> {
      if ('refused' in decided) return decided
      if (decided.insert !== undefined) insert.run(rowOf(decided.insert))
      if (decided.update !== undefined) update.run(rowOf(decided.update))
      if (decided.forget !== undefined) forget.run(decided.forget.userId, decided.forget.keep)
      return decided.result
    },

    toRemind: db.prepare<[number, number], Row>(
      `${TIMERS} WHERE status = 'running' AND reminds_at IS NOT NULL AND reminds_at <= ? ORDER BY reminds_at LIMIT ?`,
    ),
    reminded: db.prepare<[string]>('UPDATE timers SET reminds_at = NULL WHERE id = ?'),
    anchor: db.prepare<[number]>(anchorSql('?')),
    forgetTexts: db.prepare<[number, number]>('DELETE FROM timer_texts WHERE sent_at <= ? OR sent_at >= ?'),
    counted: db.prepare<[phone: string, userId: string], TimerTextCounts>(timerTextsSql('?', '?')),
    insertText: db.prepare<Row>(insertSql('timer_texts')),
  }
}

/** Overdue timers. Raising an SOS goes with the alarms; a full disk does not keep a user from preventing one. */
export const timerWrites = writesOf<TimerStore>()(timerRows, {
  setTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: ({ loadOwner, save }, timer) => save(decideSetTimer(loadOwner(timer.userId), timer)),
  },

  extendTimer: {
    reserve: 'uses',
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: ({ loadOne, save }, extension) => save(decideExtendTimer(loadOne(extension), extension)),
  },

  endTimer: {
    reserve: 'uses',
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: ({ loadOne, save }, end) => save(decideEndTimer(loadOne(end), end)),
  },

  raiseTimer: {
    lane: 'alarm',
    reserve: 'releases',
    moment: (_timerId, { now }) => now,
    run({ loadById, save, changeIncident }, timerId, command) {
      const timer = loadById(timerId)
      if (timer === null || !raisesNow(timer, command.now)) return null
      const committed = changeIncident({ openOf: timer.userId }, command)
      save({ update: raisedTimer(timer, committed.incidentId, command.now), result: null })
      return committed
    },
  },

  takeReminders: {
    moment: (now) => now,
    run({ toRemind, reminded, leaveNotice }, now, max) {
      const timers = toRemind.all(now, max).map(timerOf)
      for (const timer of timers) {
        reminded.run(timer.id)
        leaveNotice({ kind: 'timer', reminder: timerReminder(timer) })
      }
      return timers
    },
  },

  countTimerText: {
    moment: ({ now }) => now,
    run({ forgetTexts, counted, insertText }, { id, userId, phone, now }) {
      // A clock that was set back must not prolong the day.
      forgetTexts.run(now - TIMER_TEXTS_WITHIN_MS, now + TIMER_TEXTS_WITHIN_MS)
      const mayText = mayTextTimer(counted.get(phone, userId)!)
      if (mayText) insertText.run({ id, userId, phone, sentAt: now })
      return mayText
    },
  },

  anchorTimers: {
    reserve: 'uses',
    run: ({ anchor }, max) => anchor.run(max).changes,
  },
})
