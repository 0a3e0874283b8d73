import type { Timer } from '../../../../core/timer/timer.ts'

export type TimerRow = Omit<Timer, 'position'> & { readonly position: string | null }

const COLUMNS = `timers.id, users.app_id AS appId, timers.user_id AS userId, due_at AS dueAt,
    opens_at AS opensAt, reminds_at AS remindsAt, note, position, status, over_at AS overAt, incident_id AS incidentId,
    timers.created_at AS createdAt, timers.updated_at AS updatedAt`

/** With what the type needs of its user. */
export const TIMERS = `SELECT ${COLUMNS} FROM timers JOIN users ON users.id = timers.user_id`
/** With whose it is. */
export const OWNED_TIMERS = `SELECT ${COLUMNS}, users.external_user_id AS externalUserId, users.name AS userName
  FROM timers JOIN users ON users.id = timers.user_id`

export const timerOf = <R extends TimerRow>(row: R): R & Timer => ({
  ...row,
  position: row.position === null ? null : JSON.parse(row.position),
})
