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
import { insertSql, updateSql } from '../engine/row.ts'
import { leaveNotice, lockNumber, lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { changeIncidentIn } from '../incidents/door.ts'
import { RUNNING } from './read-timers.ts'

const ONE = `${TIMERS} WHERE timers.id = $1`
const OWNER = 'SELECT user_id AS "userId" FROM timers WHERE id = $1'
const INSERT = insertSql('timers')
const UPDATE = updateSql('timers')
const FORGET = `DELETE FROM timers WHERE id IN (
    SELECT id FROM timers WHERE user_id = $1 AND status <> 'running' ORDER BY over_at DESC, id OFFSET $2
  )`
/** Two nodes may read at once: each row is taken by one of them. */
const TAKE = `UPDATE timers SET reminds_at = NULL WHERE id IN (
    SELECT id FROM timers WHERE status = 'running' AND reminds_at <= $1
    ORDER BY reminds_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING id`
const FORGET_TEXTS = 'DELETE FROM timer_texts WHERE sent_at <= $1 OR sent_at >= $2'
const COUNTED = timerTextsSql('$1', '$2')
const INSERT_TEXT = insertSql('timer_texts')
const THESE = `${TIMERS} WHERE timers.id = ANY($1::text[]) ORDER BY due_at, timers.id`

/** Locks the user: changes to one user's timers take turns. */
async function loadOwner(transaction: Transaction, userId: string): Promise<TimerOwner> {
  const appId = await lockOwner(transaction, userId)
  return { appId, running: appId === null ? [] : await transaction.connection.rows<Timer>(RUNNING, [userId]) }
}

/** Locks the user, as `loadOwner`: an end and an expiry take turns. */
async function loadOne(transaction: Transaction, { userId, timerId }: TimerKey): Promise<Timer | null> {
  await lockOwner(transaction, userId)
  const { connection } = transaction
  const [timer] = await (timerId === null
    ? connection.rows<Timer>(RUNNING, [userId])
    : connection.rows<Timer>(ONE, [timerId]))
  return timer ?? null
}

/** Locks the user of the timer, as `loadOwner`. */
async function loadById(transaction: Transaction, timerId: string): Promise<Timer | null> {
  const [owner] = await transaction.connection.rows<{ userId: string }>(OWNER, [timerId])
  return owner === undefined ? null : loadOne(transaction, { ...owner, timerId })
}

async function save<R, C extends string>(
  { connection }: Transaction,
  decided: Decided<TimerChanges, R, C>,
): Promise<R | Refused<C>> {
  if ('refused' in decided) return decided
  const { insert, update, forget, result } = decided
  if (insert !== undefined) await connection.run(INSERT, [JSON.stringify([insert])])
  if (update !== undefined) await connection.run(UPDATE, [JSON.stringify([update])])
  if (forget !== undefined) await connection.run(FORGET, [forget.userId, forget.keep])
  return result
}

const ANCHOR = anchorSql('$1')

/** Timers have separate turns where thousands open at once, and never take a user's. */
const OWN_TURN = 'timers'

/** Overdue timers. */
export const timerWrites = writesOf<TimerStore>()({
  setTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: async (transaction, timer) =>
      save(transaction, decideSetTimer(await loadOwner(transaction, timer.userId), timer)),
  },

  extendTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: async (transaction, extension) =>
      save(transaction, decideExtendTimer(await loadOne(transaction, extension), extension)),
  },

  endTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: async (transaction, end) => save(transaction, decideEndTimer(await loadOne(transaction, end), end)),
  },

  raiseTimer: {
    moment: (_timerId, { now }) => now,
    sender: () => OWN_TURN,
    async run(transaction, timerId, command) {
      const timer = await loadById(transaction, timerId)
      if (timer === null || !raisesNow(timer, command.now)) return null
      const committed = await changeIncidentIn(transaction, { key: { openOf: timer.userId }, command })
      await save(transaction, { update: raisedTimer(timer, committed.incidentId, command.now), result: null })
      return committed
    },
  },

  takeReminders: {
    moment: (now) => now,
    sender: () => OWN_TURN,
    async run(transaction, now, max) {
      const { connection } = transaction
      const taken = await connection.rows<{ id: string }>(TAKE, [now, max])
      if (taken.length === 0) return []
      const timers = await connection.rows<Timer>(THESE, [taken.map(({ id }) => id)])
      for (const timer of timers) await leaveNotice(transaction, { kind: 'timer', reminder: timerReminder(timer) })
      return timers
    },
  },

  countTimerText: {
    moment: ({ now }) => now,
    sender: () => OWN_TURN,
    async run(transaction, { id, userId, phone, now }) {
      const { connection } = transaction
      await lockOwner(transaction, userId)
      await lockNumber(transaction, phone)
      // A clock that was set back must not prolong the day.
      await connection.run(FORGET_TEXTS, [now - TIMER_TEXTS_WITHIN_MS, now + TIMER_TEXTS_WITHIN_MS])
      const [counted] = await connection.rows<TimerTextCounts>(COUNTED, [phone, userId])
      const mayText = mayTextTimer(counted!)
      if (mayText) await connection.run(INSERT_TEXT, [JSON.stringify([{ id, userId, phone, sentAt: now }])])
      return mayText
    },
  },

  anchorTimers: { sender: () => OWN_TURN, run: ({ connection }, max) => connection.run(ANCHOR, [max]) },
})
