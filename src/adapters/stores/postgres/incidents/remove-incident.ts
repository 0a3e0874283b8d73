import type { Connection } from '../engine/connection.ts'

/** Removes an incident's own rows, the largest tables first; each statement takes the number and how many at most. */
const OF_NUMBER = [
  ['relayed_trail', 'incident_number, ms, nanos'],
  ['trail', 'incident_number, ms, nanos'],
  ['timeline', 'incident_number, n'],
  ['alerts', 'user_number, ms, nanos, device_id'],
  ['tracking_tokens', 'token'],
  ['incident_notes', 'id'],
  ['talk_lines', 'incident_number, n'],
  ['called_back', 'incident_number, contact_id'],
  ['claims', 'incident_number, token'],
] as const
const TEXTS = 'DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE incident_id = $1 LIMIT $2)'

/**
 * Removes an incident with its trail, timeline, alerts, tracking tokens, notes, talk and outbox texts, at most `max`
 * rows per call because a trail may be long; the incident's own row goes last. Returns how many are gone.
 */
export async function removeIncident(
  connection: Connection,
  { number, id }: { readonly number: number; readonly id: string },
  max: number,
): Promise<number> {
  let left = max
  for (const [table, key] of OF_NUMBER) {
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE incident_number = $1 LIMIT $2)`
    left -= await connection.run(sql, [number, left])
  }
  left -= await connection.run(TEXTS, [id, left])
  if (left > 0) {
    // Notices without an event do not name the user. No index: rows of this table live for about a minute.
    await connection.run('DELETE FROM notices WHERE incident_id = $1', [id])
    left -= await connection.run('DELETE FROM incidents WHERE number = $1', [number])
  }
  return max - left
}
