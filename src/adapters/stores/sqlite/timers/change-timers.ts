import {
  MAX_PAST_TIMERS,
  MAX_TIMER_TEXTS,
  MAX_TIMERS,
  momentsOf,
  TIMER_TEXTS_WITHIN_MS,
  type Timer,
  timerReminder,
} from '../../../../core/timer/timer.ts'
import type { TimerStore } from '../../../../ports/store.ts'
import { anchorSql } from '../../shared/timers.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { incidentDoor } from '../incidents/change-incident.ts'
import { TIMERS, type TimerRow, timerOf } from './timer-row.ts'

function timerRows({ db, part, leaveNotice }: WriteContext) {
  const one = db.prepare<[string], TimerRow>(`${TIMERS} WHERE timers.id = ?`)
  const running = db.prepare<[string], TimerRow>(
    `${TIMERS} WHERE timers.user_id = +? AND status = 'running' ORDER BY due_at, timers.id`,
  )
  const toRemind = db.prepare<[number, number], TimerRow>(
    `${TIMERS} WHERE status = 'running' AND reminds_at IS NOT NULL AND reminds_at <= ? ORDER BY reminds_at LIMIT ?`,
  )
  const write = {
    insert: db.prepare<{ [column: string]: string | number | null }>(
      `INSERT INTO timers (id, user_id, due_at, opens_at, reminds_at, note, position, status, created_at, updated_at)
       VALUES (@id, @userId, @dueAt, @opensAt, @remindsAt, @note, @position, 'running', @now, @now)`,
    ),
    extend: db.prepare<{ [column: string]: string | number | null }>(
      `UPDATE timers SET due_at = @dueAt, opens_at = @opensAt, reminds_at = @remindsAt, updated_at = @now
       WHERE id = @id`,
    ),
    reminded: db.prepare<[string]>('UPDATE timers SET reminds_at = NULL WHERE id = ?'),
    over: db.prepare<[string, number, string | null, number, string]>(
      'UPDATE timers SET status = ?, over_at = ?, incident_id = ?, updated_at = ?, reminds_at = NULL WHERE id = ?',
    ),
    forgetOldest: db.prepare<[string, number]>(
      `DELETE FROM timers WHERE id IN (
         SELECT id FROM timers WHERE user_id = ? AND status <> 'running' ORDER BY over_at DESC, id LIMIT -1 OFFSET ?
       )`,
    ),
    anchor: db.prepare<[number]>(anchorSql('?')),
    forgetTexts: db.prepare<[number, number]>('DELETE FROM timer_texts WHERE sent_at <= ? OR sent_at >= ?'),
    countText: db.prepare<{ id: string; userId: string; phone: string; now: number; max: number }>(
      `INSERT INTO timer_texts (id, user_id, phone, sent_at) SELECT @id, @userId, @phone, @now
       WHERE (SELECT count(*) FROM timer_texts WHERE user_id = @userId) < @max
         AND (SELECT count(*) FROM timer_texts WHERE phone = @phone) < @max
         AND EXISTS (SELECT 1 FROM users WHERE id = @userId)`,
    ),
  }
  const isUser = db.prepare<[string], number>('SELECT 1 FROM users WHERE id = ?').pluck()

  const known = (id: string): Timer => {
    const row = one.get(id)
    if (row === undefined) throw new Error('a timer that was just written is missing')
    return timerOf(row)
  }
  /** The timer to change, as long as it is this user's. */
  const find = (userId: string, timerId: string | null): Timer | null => {
    const row = timerId === null ? running.get(userId) : one.get(timerId)
    return row === undefined || row.userId !== userId ? null : timerOf(row)
  }
  const { changeIncident } = part(incidentDoor)
  return { ...write, isUser, leaveNotice, one, running, toRemind, known, find, changeIncident }
}

type Raising = Omit<TimerStore, 'timers' | 'overdueTimers' | 'timerAgenda'>

/** Overdue timers. Raising an SOS goes with the alarms; a full disk does not keep a user from preventing one. */
export const timerWrites = writesOf<Raising>()(timerRows, {
  setTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run({ isUser, running, insert, known, forgetOldest }, { id, userId, dueAt, note, position, now }) {
      if (isUser.get(userId) === undefined) return { refused: 'user_not_found' }
      const others = running.all(userId)
      const same = others.find((other) => other.dueAt === dueAt)
      if (same !== undefined) return { timer: timerOf(same), isNew: false }
      if (others.length >= MAX_TIMERS) return { refused: 'timer_limit' }
      const placed = position && JSON.stringify(position)
      insert.run({ id, userId, ...momentsOf(dueAt, now), note, position: placed, now })
      forgetOldest.run(userId, MAX_PAST_TIMERS)
      return { timer: known(id), isNew: true }
    },
  },

  extendTimer: {
    reserve: 'uses',
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run({ find, extend, known }, { userId, timerId, dueAt, now }) {
      const timer = find(userId, timerId)
      if (timer === null) return { refused: 'timer_not_found' }
      if (timer.status !== 'running') return { refused: 'timer_over' }
      if (dueAt <= timer.dueAt) return timer
      extend.run({ id: timer.id, ...momentsOf(dueAt, now), now })
      return known(timer.id)
    },
  },

  endTimer: {
    reserve: 'uses',
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run({ find, over, known }, { userId, timerId, now }) {
      const timer = find(userId, timerId)
      if (timer === null) return { refused: 'timer_not_found' }
      if (timer.status === 'raised') return { refused: 'timer_over' }
      if (timer.status === 'ended') return timer
      over.run('ended', now, null, now, timer.id)
      return known(timer.id)
    },
  },

  raiseTimer: {
    lane: 'alarm',
    reserve: 'releases',
    moment: (_timerId, { now }) => now,
    run({ one, over, changeIncident }, timerId, command) {
      const timer = one.get(timerId)
      if (timer === undefined || timer.status !== 'running' || timer.opensAt > command.now) return null
      const committed = changeIncident({ openOf: timer.userId }, command)
      over.run('raised', command.now, committed.incidentId, command.now, timerId)
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
    run({ forgetTexts, countText }, { id, userId, phone, now }) {
      // A clock that was set back must not prolong the day.
      forgetTexts.run(now - TIMER_TEXTS_WITHIN_MS, now + TIMER_TEXTS_WITHIN_MS)
      return countText.run({ id, userId, phone, now, max: MAX_TIMER_TEXTS }).changes > 0
    },
  },

  anchorTimers: {
    reserve: 'uses',
    run: ({ anchor }, max) => anchor.run(max).changes,
  },
})
