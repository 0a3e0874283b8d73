import type { EventTime } from '../../../../core/ingest/event-time.ts'
import type { Position } from '../../../../core/ingest/position.ts'
import { SHOWN_POSITIONS, SLACK_ROWS } from '../../shared/limits.ts'
import { type PositionRow, positionOfRow } from '../../shared/position-row.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const NEWEST_FIRST =
  'SELECT latitude, longitude, altitude, accuracy, at FROM trail WHERE incident = ? ORDER BY ms DESC, nanos DESC'

/** Reads the trail of an incident, by the number of its row. */
export function trailReads(db: SqliteDatabase) {
  const newest = db.prepare<[number], PositionRow>(`${NEWEST_FIRST} LIMIT 1`)
  const newestFirst = db.prepare<[number], PositionRow>(`${NEWEST_FIRST} LIMIT ${SHOWN_POSITIONS}`)
  const newestMs = db.prepare<[number], number | null>('SELECT max(ms) FROM trail WHERE incident = ?').pluck()
  return {
    /** The latest event time of a position (epoch ms). */
    lastSeenAt: (incident: number): number | null => newestMs.get(incident) ?? null,
    /** The position with the latest event time. */
    lastPosition(incident: number): Position | null {
      const row = newest.get(incident)
      return row === undefined ? null : positionOfRow(row)
    },
    /** The newest 1,000, oldest first. */
    trail: (incident: number): readonly Position[] => newestFirst.all(incident).reverse().map(positionOfRow),
  }
}

/** The number of incidents whose positions are counted in memory. */
const MAX_COUNTED = 10_000

/**
 * Adds to the trail. A second position at the same instant changes nothing; beyond the positions shown, the oldest go.
 */
export function trailWrites(db: SqliteDatabase) {
  const count = db.prepare<[number], number>('SELECT count(*) FROM trail WHERE incident = ?').pluck()
  const removeOldest = db.prepare<[number, number]>('DELETE FROM trail WHERE incident = ? ORDER BY ms, nanos LIMIT ?')
  const counted = new Map<number, number>()
  const insert = db.prepare<[number, number, number, string, number, number, number | null, number | null]>(
    `INSERT OR IGNORE INTO trail (incident, ms, nanos, at, latitude, longitude, altitude, accuracy)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    addPosition(incident: number, at: EventTime, position: Omit<Position, 'at'>): void {
      const { latitude, longitude, altitude, accuracy = null } = position
      const { changes } = insert.run(incident, at.ms, at.nanos, at.text, latitude, longitude, altitude, accuracy)
      if (changes === 0) return
      const known = counted.get(incident)
      let kept = known === undefined ? (count.get(incident) ?? 0) : known + 1
      if (kept > SHOWN_POSITIONS + SLACK_ROWS) {
        // Counted again, because some of the counted rows may have been rolled back.
        kept = count.get(incident) ?? 0
        removeOldest.run(incident, Math.max(0, kept - SHOWN_POSITIONS))
        kept = Math.min(kept, SHOWN_POSITIONS)
      }
      if (counted.size >= MAX_COUNTED) counted.clear()
      counted.set(incident, kept)
    },
  }
}
