import { columnsBut, selected } from './columns.ts'

/** Lines without their incident. */
export const TALK_LINES = `SELECT ${selected('talk_lines', columnsBut('talk_lines', 'incident_number'))} FROM talk_lines`
