import type { SqliteDatabase } from '../engine/database.ts'
import { incidentRemoval } from './remove-incident.ts'

/** At most this many rows of old incidents are removed when one opens: more than the largest incident has. */
const MAX_REMOVED = 2500

/**
 * Keeps a user's closed incidents within `max`. Call it inside the transaction that opens another one. Removes the
 * oldest with all their rows, but never one that is open or still has notifications to send.
 */
export function incidentQuota(db: SqliteDatabase, max: number): (userId: string) => void {
  const count = db.prepare<[string], number>('SELECT count(*) FROM incidents WHERE user_id = ?').pluck()
  const oldest = db.prepare<[string], { number: number; id: string }>(
    `SELECT number, id FROM incidents WHERE user_id = ? AND open = 0 AND next_action_at IS NULL
     ORDER BY opened_at LIMIT 1`,
  )
  const remove = incidentRemoval(db)
  return (userId) => {
    // One of them is open.
    if ((count.get(userId) ?? 0) - 1 <= max) return
    const incident = oldest.get(userId)
    if (incident !== undefined) remove(incident, MAX_REMOVED)
  }
}
