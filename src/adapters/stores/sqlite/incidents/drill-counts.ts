import { DRILLS_WITHIN_MS, MAX_DRILLS_A_DAY, MAX_OF_STRANGERS } from '../../../../core/incident/drill.ts'
import { isStranger } from '../../shared/enrolments.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** Counts what limits another drill of a user: the latest ones of the application. preparing.md#drills. */
export function drillCounts(db: SqliteDatabase) {
  const ofAll = db
    .prepare<[string, number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM incidents INDEXED BY drills_by_opening
         WHERE drill = 1 AND app_id = (SELECT app_id FROM users WHERE id = +?) AND opened_at > +?
         LIMIT ${MAX_DRILLS_A_DAY}
       )`,
    )
    .pluck()
  const ofStrangers = db
    .prepare<[string, number, string], number | null>(
      `SELECT CASE WHEN ${isStranger('owner')} THEN (SELECT count(*) FROM (
         SELECT 1 FROM incidents INDEXED BY drills_by_opening JOIN users ON users.id = user_id
         WHERE drill = 1 AND incidents.app_id = (SELECT app_id FROM users WHERE id = +?) AND opened_at > +?
           AND ${isStranger('users')} LIMIT ${MAX_OF_STRANGERS}
       )) END FROM users AS owner WHERE owner.id = ?`,
    )
    .pluck()
  return (ownerId: string, now: number) => {
    const since = now - DRILLS_WITHIN_MS
    return {
      drillsBefore: ofAll.get(ownerId, since) ?? 0,
      strangersDrills: ofStrangers.get(ownerId, since, ownerId) ?? null,
    }
  }
}
