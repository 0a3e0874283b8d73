import { TIMER_GRACE_MS } from '../../../core/timer/timer.ts'
import { selected } from './columns.ts'

/** Timers, each with the application of its user. */
export const TIMERS = `SELECT ${selected('timers')}, users.app_id AS "appId"
  FROM timers JOIN users ON users.id = timers.user_id`
/** Timers, each with its user. */
export const OWNED_TIMERS = `SELECT ${selected('timers')}, users.app_id AS "appId",
    users.external_user_id AS "externalUserId", users.name AS "userName"
  FROM timers JOIN users ON users.id = timers.user_id`

/** Counts the reminders by SMS to a number and, if there is such a user, to a user. For both databases. */
export const timerTextsSql = (phone: string, userId: string): string => `SELECT
    (SELECT count(*) FROM timer_texts WHERE phone = ${phone}) AS "ofPhone",
    (SELECT (SELECT count(*) FROM timer_texts WHERE user_id = users.id) FROM users WHERE id = ${userId}) AS "ofUser"`

/** The condition of the index of those rows, word for word: otherwise the index is not used. */
export const MOVED = `status = 'running' AND opens_at <> due_at + ${TIMER_GRACE_MS}`

/**
 * The date is believed: running timers are due by the wall clock, whatever moved their deadlines. A reminder that is
 * still ahead follows. `max`: the placeholder for how many. For both databases.
 */
export const anchorSql = (max: string): string => `UPDATE timers SET
    reminds_at = reminds_at + due_at + ${TIMER_GRACE_MS} - opens_at, opens_at = due_at + ${TIMER_GRACE_MS}
  WHERE id IN (SELECT id FROM timers WHERE ${MOVED} LIMIT ${max})`
