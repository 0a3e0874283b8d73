import type { Incident } from '../../core/incident.ts'
import type { IncidentRecord } from '../../ports/store.ts'
import type { Connection } from './connection.ts'
import { trailReads } from './trail.ts'

export type IncidentRow = { readonly number: number; readonly record: string }

export const incidentOf = (row: Pick<IncidentRow, 'record'>): Incident => JSON.parse(row.record)

/** A row with its last position. */
export function recordLookup(db: Connection): (row: IncidentRow) => IncidentRecord {
  const { lastPosition } = trailReads(db)
  return (row) => ({ incident: incidentOf(row), lastPosition: lastPosition(row.number) })
}
