import { type Incident, isUsersOpen } from '../../../../core/incident/incident.ts'
import { nextActionAt } from '../../../../core/incident/next-action.ts'
import { urgencyOf } from '../../../../core/incident/standing.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { IncidentRow } from './incident-row.ts'

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
  const update = db.prepare<[number, number | null, number | null, number, string, number]>(
    'UPDATE incidents SET open = ?, closed_at = ?, next_action_at = ?, urgency = ?, record = ? WHERE number = ?',
  )
  const register = db.prepare<[string, number, string]>(
    'INSERT OR IGNORE INTO tracking_tokens (token, incident, contact_id) VALUES (?, ?, ?)',
  )
  const relay = db.prepare<[number, string]>('INSERT OR REPLACE INTO relays (incident, user_id) VALUES (?, ?)')
  const registerLinks = (incident: Incident, number: number): void => {
    for (const { token, contactId } of incident.contacts) register.run(token, number, contactId)
  }
  return {
    insert(incident: Incident): IncidentRow {
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
        nextActionAt: nextActionAt(incident),
        urgency: urgencyOf(incident),
        record,
      })
      const number = Number(lastInsertRowid)
      registerLinks(incident, number)
      if (incident.relayUserId !== null) relay.run(number, incident.relayUserId)
      return { number, record }
    },
    update(number: number, before: Incident, incident: Incident): IncidentRow {
      const record = JSON.stringify(incident)
      const { closedAt } = incident.state
      update.run(isUsersOpen(incident) ? 1 : 0, closedAt, nextActionAt(incident), urgencyOf(incident), record, number)
      if (incident.contacts !== before.contacts) registerLinks(incident, number)
      if (incident.relayUserId !== null && before.relayUserId === null) relay.run(number, incident.relayUserId)
      return { number, record }
    },
  }
}
