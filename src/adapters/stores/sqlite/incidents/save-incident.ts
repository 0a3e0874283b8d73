import { type Incident, isUsersOpen } from '../../../../core/incident/incident.ts'
import { ownerIdOf } from '../../../../core/incident/owner.ts'
import { urgencyOf } from '../../../../core/incident/standing.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { IncidentRow } from './incident-row.ts'

/** The columns needed to update an incident, of a row as `StoredRow`. */
export const SAVED_COLUMNS = 'number, record, open, closed_at AS closedAt, urgency, put_off AS putOff'

/** A row with the columns that follow from its record, as they are stored. */
export type StoredRow = IncidentRow & {
  readonly open: 0 | 1
  readonly closedAt: number | null
  readonly urgency: number
  readonly putOff: 0 | 1
}

/** `before`: the incident of the row. `nextAt`: when `incident` must be looked at next, epoch ms. */
type Update = { readonly before: Incident; readonly incident: Incident; readonly nextAt: number | null }

/** Writes an incident with its indexed columns, and registers its tracking links and its relay. Returns its row. */
export function incidentSaver(db: SqliteDatabase) {
  const insert = db.prepare<{ [column: string]: string | number | null }>(
    `INSERT INTO incidents
       (id, app_id, user_id, open, drill, occurred_ms, occurred_nanos, opened_at, closed_at, next_action_at, urgency,
        record)
     VALUES
       (@id, @appId, @userId, @open, @drill, @occurredMs, @occurredNanos, @openedAt, @closedAt, @nextActionAt, @urgency,
        @record)`,
  )
  const update = db.prepare<[number, number | null, number, number, number | null, string, number]>(
    'UPDATE incidents SET open = ?, closed_at = ?, put_off = ?, urgency = ?, next_action_at = ?, record = ? WHERE number = ?',
  )
  // SQLite writes the entries of an index anew for each column that a statement names, changed or not.
  const claim = db.prepare<[number | null, string, number]>(
    'UPDATE incidents SET next_action_at = ?, record = ? WHERE number = ?',
  )
  const place = db.prepare<[number, number | null, string, number]>(
    'UPDATE incidents SET urgency = ?, next_action_at = ?, record = ? WHERE number = ?',
  )
  const own = db.prepare<[string | null, number]>('UPDATE incidents SET owner_id = ? WHERE number = ?')
  const joinMajor = db.prepare<[string | null, number]>('UPDATE incidents SET major_id = ? WHERE number = ?')
  const register = db.prepare<[string, number, string]>(
    'INSERT OR IGNORE INTO tracking_tokens (token, incident, contact_id) VALUES (?, ?, ?)',
  )
  const relay = db.prepare<[number, string]>('INSERT OR REPLACE INTO relays (incident, user_id) VALUES (?, ?)')
  const registerLinks = (incident: Incident, number: number): void => {
    for (const { token, contactId } of incident.contacts) register.run(token, number, contactId)
  }
  return {
    insert(incident: Incident, nextAt: number | null): IncidentRow {
      const record = JSON.stringify(incident)
      const { lastInsertRowid } = insert.run({
        id: incident.id,
        appId: incident.appId,
        userId: incident.userId,
        open: isUsersOpen(incident) ? 1 : 0,
        drill: incident.drill === undefined ? 0 : 1,
        occurredMs: incident.occurredAt.ms,
        occurredNanos: incident.occurredAt.nanos,
        openedAt: incident.openedAt,
        closedAt: incident.state.closedAt,
        nextActionAt: nextAt,
        urgency: urgencyOf(incident),
        record,
      })
      const number = Number(lastInsertRowid)
      registerLinks(incident, number)
      if (incident.relayUserId !== null) relay.run(number, incident.relayUserId)
      return { number, record }
    },
    update(row: StoredRow, { before, incident, nextAt }: Update): IncidentRow {
      const { number } = row
      const record = JSON.stringify(incident)
      const { closedAt } = incident.state
      const open = isUsersOpen(incident) ? 1 : 0
      const urgency = urgencyOf(incident)
      const putOff = incident.putOff === undefined ? 0 : 1
      if (open !== row.open || closedAt !== row.closedAt || putOff !== row.putOff) {
        update.run(open, closedAt, putOff, urgency, nextAt, record, number)
      } else if (urgency !== row.urgency) place.run(urgency, nextAt, record, number)
      else claim.run(nextAt, record, number)
      const ownerId = ownerIdOf(incident)
      if (ownerId !== ownerIdOf(before)) own.run(ownerId, number)
      const majorId = incident.major?.id ?? null
      if (majorId !== (before.major?.id ?? null)) joinMajor.run(majorId, number)
      if (incident.contacts !== before.contacts) registerLinks(incident, number)
      if (incident.relayUserId !== null && before.relayUserId === null) relay.run(number, incident.relayUserId)
      return { number, record }
    },
  }
}
