import { isOwnSource } from '../../../../core/ingest/position.ts'
import type { Newest, PlacedRow } from './ask.ts'

const COLUMNS = 'latitude, longitude, altitude, accuracy, at, source, ms, nanos'

const newest = (name: string, table: string, where: string): string => `LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM ${table} WHERE ${where} ORDER BY ms DESC, nanos DESC LIMIT 1
    ) AS ${name} ON true`

/**
 * Joins the newest positions of an incident, a row of each kind (`NewestRows`). `incident`: the alias of the row, which
 * has its number and `through_device`: without a tracker the last two find nothing.
 */
export const newestJoins = (incident: string): string => {
  const ofIncident = `incident_number = ${incident}.number`
  return [
    newest('own', 'trail', ofIncident),
    newest('other', 'relayed_trail', ofIncident),
    newest('of_device', 'trail', `${ofIncident} AND device_id = ${incident}.through_device`),
    newest('listed', 'trail', `${incident}.through_device IS NOT NULL AND ${ofIncident} AND source = 'relay'`),
  ].join('\n    ')
}

/** The four rows as one value, under the names of `NewestRows`. */
export const NEWEST = `json_build_object('own', row_to_json(own), 'ofDevice', row_to_json(of_device),
    'listed', row_to_json(listed), 'other', row_to_json(other))`

export const NOWHERE: Newest = { own: null, ofDevice: null, listed: null, other: null }

/** `newest` after one more position. `isOfDevice`: of the tracker that the press came through. */
export function newestWith(newest: Newest, added: PlacedRow, isOfDevice: boolean): Newest {
  const isOwn = isOwnSource(added.source)
  const later = (kind: keyof Newest, isOfKind: boolean): PlacedRow | null => {
    const known = newest[kind]
    return isOfKind && (known === null || (added.ms - known.ms || added.nanos - known.nanos) > 0) ? added : known
  }
  return {
    own: later('own', isOwn),
    ofDevice: later('ofDevice', isOwn && isOfDevice),
    listed: later('listed', added.source === 'relay'),
    other: later('other', !isOwn),
  }
}

/** The latest event time of a position, epoch ms. */
export function lastSeenAt({ own, other }: Newest): number | null {
  if (own === null || other === null) return own?.ms ?? other?.ms ?? null
  return Math.max(own.ms, other.ms)
}
