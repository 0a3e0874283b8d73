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
import { leaveNotice, lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { changeIncidentIn } from '../incidents/door.ts'
import { RUNNING, TIMERS } from './read-timers.ts'

const ONE = `${TIMERS} WHERE timers.id = $1`
const OWNER = 'SELECT user_id AS "userId" FROM timers WHERE id = $1'
const INSERT = `INSERT INTO timers
    (id, user_id, due_at, opens_at, reminds_at, note, position, status, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 'running', $8, $8)`
const EXTEND = 'UPDATE timers SET due_at = $2, opens_at = $3, reminds_at = $4, updated_at = $5 WHERE id = $1'
const OVER = `UPDATE timers SET status = $2, over_at = $3, incident_id = $4, updated_at = $3, reminds_at = NULL
  WHERE id = $1`
const FORGET_OLDEST = `DELETE FROM timers WHERE id IN (
    SELECT id FROM timers WHERE user_id = $1 AND status <> 'running' ORDER BY over_at DESC, id OFFSET $2
  )`
/** Two nodes may read at once: each row is taken by one of them. */
const TAKE = `UPDATE timers SET reminds_at = NULL WHERE id IN (
    SELECT id FROM timers WHERE status = 'running' AND reminds_at <= $1
    ORDER BY reminds_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING id`
const FORGET_TEXTS = 'DELETE FROM timer_texts WHERE sent_at <= $1 OR sent_at >= $2'
const COUNT_TEXT = `INSERT INTO timer_texts (id, user_id, phone, sent_at) SELECT $1, $2, $3, $4
  WHERE (SELECT count(*) FROM timer_texts WHERE user_id = $2) < $5
    AND (SELECT count(*) FROM timer_texts WHERE phone = $3) < $5`
const THESE = `${TIMERS} WHERE timers.id = ANY($1::text[]) ORDER BY due_at, timers.id`

async function known({ connection }: Transaction, id: string): Promise<Timer> {
  const [timer] = await connection.rows<Timer>(ONE, [id])
  if (timer === undefined) throw new Error('a timer that was just written is missing')
  return timer
}

/** The timer to change, as long as it is this user's, who is locked: an end and an expiry take turns. */
async function find(transaction: Transaction, userId: string, timerId: string | null): Promise<Timer | null> {
  await lockOwner(transaction, userId)
  const { connection } = transaction
  const [timer] = await (timerId === null
    ? connection.rows<Timer>(RUNNING, [userId])
    : connection.rows<Timer>(ONE, [timerId]))
  return timer === undefined || timer.userId !== userId ? null : timer
}

const ANCHOR = anchorSql('$1')

/** Timers have separate turns where thousands open at once, and never take a user's. */
const OWN_TURN = 'timers'

type Writes = Omit<TimerStore, 'timers' | 'overdueTimers' | 'timerAgenda'>

/** Overdue timers. */
export const timerWrites = writesOf<Writes>()({
  setTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    async run(transaction, { id, userId, dueAt, note, position, now }) {
      const { connection } = transaction
      if ((await lockOwner(transaction, userId)) === null) return { refused: 'user_not_found' }
      const others = await connection.rows<Timer>(RUNNING, [userId])
      const same = others.find((other) => other.dueAt === dueAt)
      if (same !== undefined) return { timer: same, isNew: false }
      if (others.length >= MAX_TIMERS) return { refused: 'timer_limit' }
      const { opensAt, remindsAt } = momentsOf(dueAt, now)
      const placed = position && JSON.stringify(position)
      await connection.run(INSERT, [id, userId, dueAt, opensAt, remindsAt, note, placed, now])
      await connection.run(FORGET_OLDEST, [userId, MAX_PAST_TIMERS])
      return { timer: await known(transaction, id), isNew: true }
    },
  },

  extendTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    async run(transaction, { userId, timerId, dueAt, now }) {
      const timer = await find(transaction, userId, timerId)
      if (timer === null) return { refused: 'timer_not_found' }
      if (timer.status !== 'running') return { refused: 'timer_over' }
      if (dueAt <= timer.dueAt) return timer
      const { opensAt, remindsAt } = momentsOf(dueAt, now)
      await transaction.connection.run(EXTEND, [timer.id, dueAt, opensAt, remindsAt, now])
      return known(transaction, timer.id)
    },
  },

  endTimer: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    async run(transaction, { userId, timerId, now }) {
      const timer = await find(transaction, userId, timerId)
      if (timer === null) return { refused: 'timer_not_found' }
      if (timer.status === 'raised') return { refused: 'timer_over' }
      if (timer.status === 'ended') return timer
      await transaction.connection.run(OVER, [timer.id, 'ended', now, null])
      return known(transaction, timer.id)
    },
  },

  raiseTimer: {
    moment: (_timerId, { now }) => now,
    sender: () => OWN_TURN,
    async run(transaction, timerId, command) {
      const { connection } = transaction
      const [owner] = await connection.rows<{ userId: string }>(OWNER, [timerId])
      if (owner === undefined) return null
      const timer = await find(transaction, owner.userId, timerId)
      if (timer === null || timer.status !== 'running' || timer.opensAt > command.now) return null
      const committed = await changeIncidentIn(transaction, { key: { openOf: owner.userId }, command })
      await connection.run(OVER, [timerId, 'raised', command.now, committed.incidentId])
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
      if ((await lockOwner(transaction, userId)) === null) return false
      // A clock that was set back must not prolong the day.
      await connection.run(FORGET_TEXTS, [now - TIMER_TEXTS_WITHIN_MS, now + TIMER_TEXTS_WITHIN_MS])
      return (await connection.run(COUNT_TEXT, [id, userId, phone, now, MAX_TIMER_TEXTS])) > 0
    },
  },

  anchorTimers: { sender: () => OWN_TURN, run: ({ connection }, max) => connection.run(ANCHOR, [max]) },
})
