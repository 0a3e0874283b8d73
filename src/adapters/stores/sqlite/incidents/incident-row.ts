import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import type { IncidentRecord } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { trailReads } from './trail.ts'

export type IncidentRow = { readonly number: number; readonly record: string }

/** The incident of a row in the current shape, whichever version wrote it. */
export const incidentOf = (row: Pick<IncidentRow, 'record'>): Incident => asCurrent(JSON.parse(row.record))

/** The incident of a row, with its last position. */
export function recordLookup(db: SqliteDatabase): (row: IncidentRow) => IncidentRecord {
  const { whereabouts } = trailReads(db)
  return (row) => {
    const incident = incidentOf(row)
    return { incident, ...whereabouts(row.number, incident) }
  }
}
