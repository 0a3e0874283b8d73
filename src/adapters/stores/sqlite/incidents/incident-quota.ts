import { MAX_DRILLS_KEPT, MAX_INCIDENT_ROWS } from '../../shared/quotas.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { incidentRemoval } from './remove-incident.ts'

type Owned = { readonly userId: string; readonly isDrill: boolean }

/**
 * Keeps a user's closed incidents within `max`, and drills within a separate bound. Call it inside the transaction that
 * opens another one. Removes the oldest of the same kind with all their rows, but never one that is open or still has
 * notifications to send.
 */
export function incidentQuota(db: SqliteDatabase, max: number): (opened: Owned) => void {
  const count = db.prepare<[string], number>('SELECT count(*) FROM incidents WHERE user_id = ?').pluck()
  const drills = db
    .prepare<[string], number>(
      'SELECT count(*) FROM incidents INDEXED BY drills_of_user WHERE user_id = ? AND drill = 1',
    )
    .pluck()
  const oldest = db.prepare<[string, 0 | 1], { number: number; id: string }>(
    `SELECT number, id FROM incidents WHERE user_id = ? AND drill = ? AND open = 0 AND next_action_at IS NULL
     ORDER BY opened_at LIMIT 1`,
  )
  const remove = incidentRemoval(db)
  return ({ userId, isDrill }) => {
    const exercises = drills.get(userId) ?? 0
    const kept = isDrill ? exercises : (count.get(userId) ?? 0) - exercises
    // One of them is open.
    if (kept - 1 <= (isDrill ? MAX_DRILLS_KEPT : max)) return
    const incident = oldest.get(userId, isDrill ? 1 : 0)
    if (incident !== undefined) remove(incident, MAX_INCIDENT_ROWS)
  }
}
