import type { Incident } from '../../../../core/incident/incident.ts'
import { type Whereabouts, whereaboutsOf } from '../../../../core/incident/places.ts'
import type { EventTime } from '../../../../core/ingest/event-time.ts'
import { isOwnSource, type Position, type PositionSource } from '../../../../core/ingest/position.ts'
import { SHOWN_POSITIONS, SLACK_ROWS } from '../../shared/limits.ts'
import { newestOfRows, type PositionRow, shownTrail } from '../../shared/position-row.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const COLUMNS = 'latitude, longitude, altitude, accuracy, at, source'
type TrailTable = 'trail' | 'relayed_trail'

/** Reads the trail of an incident, by the number of its row. */
export function trailReads(db: SqliteDatabase) {
  const newestIn = (table: TrailTable) =>
    db.prepare<[number], PositionRow>(
      `SELECT ${COLUMNS} FROM ${table} WHERE incident = +? ORDER BY ms DESC, nanos DESC LIMIT 1`,
    )
  const newestOwn = newestIn('trail')
  const newestOther = newestIn('relayed_trail')
  const newestWhere = (condition: string) =>
    db.prepare<[number, string], PositionRow>(
      `SELECT ${COLUMNS} FROM trail WHERE incident = +? AND ${condition} ORDER BY ms DESC, nanos DESC LIMIT 1`,
    )
  const newestOfDevice = newestWhere('device_id = +?')
  const newestOfSource = newestWhere('source = +?')
  const newestFirst = (table: TrailTable) =>
    db.prepare<[number], PositionRow & { readonly ms: number; readonly nanos: number }>(
      `SELECT ${COLUMNS}, ms, nanos FROM ${table} WHERE incident = +? ORDER BY ms DESC, nanos DESC LIMIT ${SHOWN_POSITIONS}`,
    )
  const ownTrail = newestFirst('trail')
  const otherTrail = newestFirst('relayed_trail')
  const newestMs = db
    .prepare<[number, number], number | null>(
      `SELECT max(ms) FROM (
         SELECT max(ms) AS ms FROM trail WHERE incident = +? UNION ALL SELECT max(ms) FROM relayed_trail WHERE incident = +?
       )`,
    )
    .pluck()
  return {
    /** The latest event time of a position (epoch ms). */
    lastSeenAt: (incident: number): number | null => newestMs.get(incident, incident) ?? null,
    /** The person's last position, by event time. */
    whereabouts(number: number, { throughDevice }: Incident): Whereabouts {
      return whereaboutsOf(
        newestOfRows({
          own: newestOwn.get(number) ?? null,
          ofDevice: throughDevice === undefined ? null : (newestOfDevice.get(number, throughDevice) ?? null),
          listed: throughDevice === undefined ? null : (newestOfSource.get(number, 'relay') ?? null),
          other: newestOther.get(number) ?? null,
        }),
      )
    },
    /** The newest 1,000, oldest first. */
    trail: (incident: number): readonly Position[] => shownTrail(ownTrail.all(incident), otherTrail.all(incident)),
  }
}

/** The number of incidents whose positions are counted in memory. */
const MAX_COUNTED = 10_000

type Add = (incident: number, at: EventTime, position: Omit<Position, 'at'>, deviceId: string | null) => void

/**
 * Adds to the trail. A second position at the same instant changes nothing; beyond the positions shown, the oldest go.
 * Positions through other users are in a table of their own, so that they never replace one of the owner's.
 */
export function trailWrites(db: SqliteDatabase): { readonly addPosition: Add } {
  const own = writesOf(db, 'trail')
  const others = writesOf(db, 'relayed_trail')
  return {
    addPosition: (incident, at, position, deviceId) =>
      (isOwnSource(position.source) ? own : others)(incident, at, position, deviceId),
  }
}

function writesOf(db: SqliteDatabase, table: TrailTable): Add {
  const count = db.prepare<[number], number>(`SELECT count(*) FROM ${table} WHERE incident = ?`).pluck()
  const removeOldest = db.prepare<[number, number]>(
    `DELETE FROM ${table} WHERE incident = ? ORDER BY ms, nanos LIMIT ?`,
  )
  const counted = new Map<number, number>()
  const insert = db.prepare<
    [number, number, number, string, number, number, number | null, number | null, PositionSource | null, string | null]
  >(
    `INSERT OR IGNORE INTO ${table} (incident, ms, nanos, at, latitude, longitude, altitude, accuracy, source, device_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (incident, { ms, nanos, text }, position, deviceId) => {
    const { latitude, longitude, altitude, accuracy = null, source = null } = position
    const values = [latitude, longitude, altitude, accuracy, source, deviceId] as const
    const { changes } = insert.run(incident, ms, nanos, text, ...values)
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
  }
}
