import type { Timer } from '../../../../core/timer/timer.ts'

export type TimerRow = Omit<Timer, 'position'> & { readonly position: string | null }

/** With what the type needs of its user. */
export const TIMERS = `SELECT timers.id, users.app_id AS appId, timers.user_id AS userId, due_at AS dueAt,
    opens_at AS opensAt, reminds_at AS remindsAt, note, position, status, over_at AS overAt, incident_id AS incidentId,
    timers.created_at AS createdAt, timers.updated_at AS updatedAt
  FROM timers JOIN users ON users.id = timers.user_id`

export const timerOf = (row: TimerRow): Timer => ({
  ...row,
  position: row.position === null ? null : JSON.parse(row.position),
})
