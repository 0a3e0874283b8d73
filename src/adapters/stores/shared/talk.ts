import { columnsBut, selected } from './columns.ts'

/** Lines without their incident. */
export const TALK_LINES = `SELECT ${selected('talk_lines', columnsBut('talk_lines', 'incident_number'))} FROM talk_lines`

/** When the newest line of `incidents.number` was written; null if there is none, or an operator wrote it. */
export const NEWEST_MESSAGE = `SELECT CASE WHEN side = 'operator' THEN NULL ELSE at END FROM talk_lines
  WHERE incident_number = incidents.number ORDER BY n DESC LIMIT 1`

/** When the person or a contact of `incidents.number` last wrote; null: never. */
export const NEWEST_HEARD = `SELECT at FROM talk_lines
  WHERE incident_number = incidents.number AND side <> 'operator' ORDER BY n DESC LIMIT 1`
