import type { EnrolledBy } from '../../../../core/account/app-invitation.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { MAX_DRILLS_KEPT, MAX_INCIDENT_ROWS, quotaFor } from '../../shared/quotas.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { incidentRemoval } from './remove-incident.ts'

/** A user's own exercises and an operator's are told apart: nobody practises until the operator's are gone. */
const DRILLS_OF = 'incidents INDEXED BY drills_of_user WHERE user_id = ? AND drill = 1'
const IS_OWN = "coalesce(record ->> '$.drill.isOwn', 0) = ?"

/**
 * Keeps a user's closed incidents within `max`, and drills within a separate bound, the user's own within another. Call
 * it inside the transaction that opens another one. Removes the oldest of the same kind with all their rows, but never
 * one that is open or still has notifications to send.
 */
export function incidentQuota(db: SqliteDatabase, max: number): (opened: Pick<Incident, 'userId' | 'drill'>) => void {
  const count = db.prepare<[string], number>('SELECT count(*) FROM incidents WHERE user_id = ?').pluck()
  const drills = db.prepare<[string], number>(`SELECT count(*) FROM ${DRILLS_OF}`).pluck()
  const drillsOfKind = db.prepare<[string, 0 | 1], number>(`SELECT count(*) FROM ${DRILLS_OF} AND ${IS_OWN}`).pluck()
  type Oldest = { readonly number: number; readonly id: string }
  const over = 'open = 0 AND next_action_at IS NULL ORDER BY opened_at LIMIT 1'
  const oldest = db.prepare<[string], Oldest>(
    `SELECT number, id FROM incidents WHERE user_id = ? AND drill = 0 AND ${over}`,
  )
  const oldestDrill = db.prepare<[string, 0 | 1], Oldest>(
    `SELECT number, id FROM ${DRILLS_OF} AND ${IS_OWN} AND ${over}`,
  )
  const remove = incidentRemoval(db)
  const enrolment = db.prepare<[string], EnrolledBy | null>('SELECT enrolled_by FROM users WHERE id = ?').pluck()
  return ({ userId, drill }) => {
    const isOwn = drill?.isOwn === true ? 1 : 0
    const exercises = drills.get(userId) ?? 0
    // Their records are read only where there may be too many.
    if (drill !== undefined && exercises - 1 <= MAX_DRILLS_KEPT) return
    const kept = drill === undefined ? (count.get(userId) ?? 0) - exercises : (drillsOfKind.get(userId, isOwn) ?? 0)
    // One of them is open.
    const closed = kept - 1
    const most = drill === undefined ? quotaFor(max, closed, () => enrolment.get(userId) ?? null) : MAX_DRILLS_KEPT
    if (closed <= most) return
    const incident = drill === undefined ? oldest.get(userId) : oldestDrill.get(userId, isOwn)
    if (incident !== undefined) remove(incident, MAX_INCIDENT_ROWS)
  }
}
