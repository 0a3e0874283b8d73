import type { Database, Statement } from 'better-sqlite3'
import type { EventTime } from '../../core/event-time.ts'
import type { Incident } from '../../core/incident.ts'
import type { Position } from '../../core/payload.ts'
import type { HistoryRecord, IncidentRecord, Page, PageQuery, TelemetryQuery, TelemetryRow } from '../../ports/store.ts'
import { cursorOf, placeOf } from './cursor.ts'
import {
  type ApplicationRow,
  applicationOf,
  type ContactRow,
  contactOf,
  type PositionRow,
  positionOfRow,
  type UserRow,
  userOf,
} from './rows.ts'

/** The newest positions of an incident that a history item shows. Decisions 2. */
const TRAIL_LENGTH = 1000
const MOST_LISTED = 1000

type RecordRow = { id: string; record: string; opened_at: number }
type TelemetryColumns = { at_ms: number; at_nanos: number; device_id: string; received_at: number; payload: string }
const BAD_CURSOR = { refused: 'bad_cursor' } as const

/** Everything that is read, on a connection that cannot write. Statements are prepared once. */
export function readsOn(db: Database) {
  const sql = {
    application: db.prepare('SELECT * FROM applications WHERE id = ?') as Statement<[string], ApplicationRow>,
    applications: db.prepare('SELECT * FROM applications ORDER BY created_at, id') as Statement<[], ApplicationRow>,
    secrets: db.prepare('SELECT id, secret FROM application_secrets WHERE app_id = ? ORDER BY id DESC') as Statement<
      [string],
      { id: number; secret: string }
    >,
    admits: db
      .prepare(`SELECT 1 FROM users JOIN applications ON applications.id = users.app_id
        JOIN application_secrets ON application_secrets.app_id = applications.id
        WHERE users.id = ? AND applications.id = ? AND application_secrets.id = ?
          AND NOT users.disabled AND NOT applications.disabled`)
      .pluck(),
    user: db.prepare('SELECT * FROM users WHERE id = ?') as Statement<[string], UserRow>,
    userByExternal: db.prepare('SELECT * FROM users WHERE app_id = ? AND external_user_id = ?') as Statement<
      [string, string],
      UserRow
    >,
    users: db.prepare('SELECT * FROM users WHERE app_id = ? ORDER BY no') as Statement<[string], UserRow>,
    contacts: db.prepare('SELECT * FROM contacts WHERE user_id = ? ORDER BY priority') as Statement<
      [string],
      ContactRow
    >,
    incident: db.prepare('SELECT record FROM incidents WHERE id = ?').pluck(),
    openIncident: db.prepare('SELECT record FROM incidents WHERE user_id = ? AND is_open').pluck(),
    history: db.prepare(`SELECT id, record, opened_at FROM incidents
      WHERE user_id = ? AND (opened_at, id) < (?, ?) ORDER BY opened_at DESC, id DESC LIMIT ?`) as Statement<
      [string, number, string, number],
      RecordRow
    >,
    incidents: db.prepare('SELECT record FROM incidents ORDER BY opened_at DESC, id DESC LIMIT ?').pluck(),
    openIncidents: db
      .prepare('SELECT record FROM incidents WHERE is_open ORDER BY opened_at DESC, id DESC LIMIT ?')
      .pluck(),
    lastPosition: db.prepare(`SELECT at, latitude, longitude, altitude FROM positions
      WHERE incident_id = ? ORDER BY at_ms DESC, at_nanos DESC, seq DESC LIMIT 1`) as Statement<[string], PositionRow>,
    trail: db.prepare(`SELECT at, latitude, longitude, altitude FROM positions
      WHERE incident_id = ? ORDER BY at_ms DESC, at_nanos DESC, seq DESC LIMIT ?`) as Statement<
      [string, number],
      PositionRow
    >,
    link: db.prepare('SELECT incident_id, contact_id FROM tracking_links WHERE token = ?') as Statement<
      [string],
      { incident_id: string; contact_id: string }
    >,
    due: db.prepare('SELECT id FROM incidents WHERE next_action_at <= ? ORDER BY next_action_at LIMIT ?').pluck(),
    nextActionAt: db.prepare('SELECT min(next_action_at) FROM incidents WHERE next_action_at IS NOT NULL').pluck(),
    newest: db.prepare('SELECT coalesce(max(updated_at), 0) FROM incidents').pluck(),
    userNo: db.prepare('SELECT no FROM users WHERE id = ?').pluck(),
    telemetry: db.prepare(`SELECT at_ms, at_nanos, device_id, received_at, payload FROM telemetry
      WHERE user_no = ? AND (at_ms, at_nanos, device_id) < (?, ?, ?) AND (at_ms, at_nanos) >= (?, ?) AND (at_ms, at_nanos) <= (?, ?)
      ORDER BY at_ms DESC, at_nanos DESC, device_id DESC LIMIT ?`) as Statement<unknown[], TelemetryColumns>,
    outbox: db.prepare('SELECT * FROM outbox ORDER BY id'),
    outboxOf: db.prepare('SELECT * FROM outbox WHERE incident_id = ? ORDER BY id'),
    outboxMessage: db.prepare('SELECT * FROM outbox WHERE attempt_id = ?'),
    deadLetters: db.prepare('SELECT * FROM dead_letters ORDER BY id'),
    notices: db.prepare('SELECT seq, notice FROM notices WHERE seq > ? ORDER BY seq') as Statement<
      [number],
      { seq: number; notice: string }
    >,
    lastNotice: db.prepare('SELECT coalesce(max(seq), 0) FROM notices').pluck(),
  }

  const lastPositionOf = (incidentId: string): Position | null => {
    const row = sql.lastPosition.get(incidentId)
    return row === undefined ? null : positionOfRow(row)
  }
  const recordOf = (record: unknown): IncidentRecord | null => {
    if (record === undefined) return null
    const incident: Incident = JSON.parse(record as string)
    return { incident, lastPosition: lastPositionOf(incident.id) }
  }
  return {
    sql,
    recordOf,
    lastPositionOf,
    history(userId: string, { after, limit }: PageQuery): Page<HistoryRecord> | typeof BAD_CURSOR {
      const place = after === null ? [Number.MAX_SAFE_INTEGER, ''] : placeOf(after, ['number', 'string'])
      if (place === null) return BAD_CURSOR
      const rows = sql.history.all(userId, place[0] as number, place[1] as string, limit + 1)
      const items = rows.slice(0, limit).map(({ record, id }) => ({
        ...recordOf(record)!,
        trail: sql.trail.all(id, TRAIL_LENGTH).map(positionOfRow).reverse(),
      }))
      const last = rows[limit - 1]
      return { items, after: rows.length > limit && last !== undefined ? cursorOf([last.opened_at, last.id]) : null }
    },
    telemetry(userId: string, { after, limit, from, to }: TelemetryQuery): Page<TelemetryRow> | typeof BAD_CURSOR {
      const place = after === null ? [Number.MAX_SAFE_INTEGER, 0, ''] : placeOf(after, ['number', 'number', 'string'])
      if (place === null) return BAD_CURSOR
      const bound = (time: EventTime | null, none: number) => (time === null ? [none, 0] : [time.ms, time.nanos])
      const rows = sql.telemetry.all(
        sql.userNo.get(userId),
        ...place,
        ...bound(from, Number.MIN_SAFE_INTEGER),
        ...bound(to, Number.MAX_SAFE_INTEGER),
        limit + 1,
      )
      const last = rows[limit - 1]
      return {
        items: rows.slice(0, limit).map(telemetryRowOf),
        after: rows.length > limit && last !== undefined ? cursorOf([last.at_ms, last.at_nanos, last.device_id]) : null,
      }
    },
    applicationOf,
    contactOf,
    userOf,
    mostListed: MOST_LISTED,
  }
}

const telemetryRowOf = ({ at_ms, at_nanos, received_at, payload }: TelemetryColumns): TelemetryRow => {
  const kept = JSON.parse(payload)
  const text = kept.timestamp ?? kept.occurredAt ?? ''
  return { payload: kept, at: { text, ms: at_ms, nanos: at_nanos }, receivedAt: received_at }
}
