import type { Delivery } from '../../../../core/incident/delivery.ts'
import { attemptNumberOf } from '../../../../core/incident/escalation.ts'
import { MAX_ATTEMPTS } from '../../shared/limits.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** Attempts that were folded out of an incident's record, by the number of its row. */
export function timelineReads(db: SqliteDatabase) {
  const one = db.prepare<[number, number], string>('SELECT attempt FROM timeline WHERE incident = ? AND n = ?').pluck()
  const newest = db
    .prepare<[number, number], string>('SELECT attempt FROM timeline WHERE incident = +? ORDER BY n DESC LIMIT +?')
    .pluck()
  return {
    attempt(incident: number, attemptId: string): Delivery | null {
      const row = one.get(incident, attemptNumberOf(attemptId))
      return row === undefined ? null : JSON.parse(row)
    },
    /** The newest `limit` attempts, oldest first. */
    timeline: (incident: number, limit: number): readonly Delivery[] =>
      newest
        .all(incident, limit)
        .reverse()
        .map((row) => JSON.parse(row)),
  }
}

export function timelineWrites(db: SqliteDatabase) {
  const write = db.prepare<[number, number, string]>(
    'INSERT OR REPLACE INTO timeline (incident, n, attempt) VALUES (?, ?, ?)',
  )
  // By count: a restore leaves a gap in the numbers.
  const cut = db.prepare<[number, number, number]>(
    `DELETE FROM timeline WHERE incident = +? AND n <= (
       SELECT n FROM timeline WHERE incident = +? ORDER BY n DESC LIMIT 1 OFFSET +?
     )`,
  )
  return {
    addToTimeline(incident: number, rows: readonly Delivery[]): void {
      for (const row of rows) write.run(incident, attemptNumberOf(row.id), JSON.stringify(row))
      if (rows.length > 0) cut.run(incident, incident, MAX_ATTEMPTS)
    },
  }
}
