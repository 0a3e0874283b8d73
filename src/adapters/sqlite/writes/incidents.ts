import type { Database, Statement } from 'better-sqlite3'
import type { Command } from '../../../core/command.ts'
import { decide } from '../../../core/decide.ts'
import type { Decision } from '../../../core/decision.ts'
import { nextActionAt } from '../../../core/escalation.ts'
import { compareEventTimes, type EventTime } from '../../../core/event-time.ts'
import { type EarlierAlert, type Incident, isOpen, type Site } from '../../../core/incident.ts'
import { type Position, positionOf } from '../../../core/payload.ts'
import type { Settings } from '../../../core/settings.ts'
import type { Committed, IncidentKey, Reporter } from '../../../ports/store.ts'
import {
  type ApplicationRow,
  applicationOf,
  type ContactRow,
  type PositionRow,
  positionOfRow,
  type UserRow,
} from '../rows.ts'

/** The write door, on the writer's connection, inside its transaction. */
export type IncidentWrites = ReturnType<typeof incidentWrites>

export function incidentWrites(db: Database, defaults: Settings) {
  const sql = {
    byId: db.prepare('SELECT record FROM incidents WHERE id = ?').pluck(),
    openOf: db.prepare('SELECT record FROM incidents WHERE user_id = ? AND is_open').pluck(),
    pending: db.prepare('SELECT record FROM incidents WHERE next_action_at IS NOT NULL').pluck(),
    put: db.prepare(`INSERT INTO incidents
        (id, app_id, user_id, is_open, opened_at, updated_at, occurred_ms, occurred_nanos, next_action_at, record)
      VALUES (@id, @appId, @userId, @isOpen, @openedAt, @updatedAt, @ms, @nanos, @nextActionAt, @record)
      ON CONFLICT (id) DO UPDATE SET is_open = excluded.is_open, updated_at = excluded.updated_at,
        next_action_at = excluded.next_action_at, record = excluded.record`),
    link: db.prepare('INSERT OR IGNORE INTO tracking_links (token, incident_id, contact_id) VALUES (?, ?, ?)'),
    earlier: db.prepare(`SELECT incident_id, received_at, fingerprint FROM alerts
      WHERE user_id = ? AND device_id = ? AND at_ms = ? AND at_nanos = ?`),
    putAlert: db.prepare(`INSERT OR REPLACE INTO alerts
      (user_id, device_id, at_ms, at_nanos, incident_id, received_at, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?)`),
    user: db.prepare('SELECT * FROM users WHERE id = ?') as Statement<[string], UserRow>,
    application: db.prepare('SELECT * FROM applications WHERE id = ?') as Statement<[string], ApplicationRow>,
    contacts: db.prepare('SELECT * FROM contacts WHERE user_id = ? ORDER BY priority') as Statement<
      [string],
      ContactRow
    >,
    owner: db.prepare('SELECT user_id FROM devices WHERE app_id = ? AND hardware_id = ?').pluck(),
    seq: db
      .prepare('SELECT coalesce(max(seq), 0) + 1 FROM positions WHERE incident_id = ? AND at_ms = ? AND at_nanos = ?')
      .pluck(),
    putPosition: db.prepare(`INSERT INTO positions
      (incident_id, at_ms, at_nanos, seq, at, latitude, longitude, altitude) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    lastPosition: db.prepare(`SELECT at, latitude, longitude, altitude FROM positions
      WHERE incident_id = ? ORDER BY at_ms DESC, at_nanos DESC, seq DESC LIMIT 1`) as Statement<[string], PositionRow>,
  }

  const parsed = (record: unknown): Incident | null => (record === undefined ? null : JSON.parse(record as string))
  const openOf = (userId: string) => parsed(sql.openOf.get(userId))

  /** LoRa relay: the device's owner within the same application; Decisions 3. */
  const ownerOf = ({ appId, userId, deviceId }: Reporter) => {
    if (deviceId === null) return { userId, unknownDevice: false }
    const owner = sql.owner.get(appId, deviceId) as string | undefined
    return { userId: owner ?? userId, unknownDevice: owner === undefined }
  }

  const siteOf = (userId: string): Site => {
    const user = sql.user.get(userId)
    if (user === undefined) throw new Error('the owner of an alert is gone')
    const application = applicationOf(sql.application.get(user.app_id)!)
    return {
      appId: user.app_id,
      userId,
      externalUserId: user.external_user_id,
      legacy: application.legacy,
      settings: { ...defaults, ...application.settings },
      actuators: application.actuators,
      contacts: sql.contacts.all(userId).map(({ id, name, phone, email, language, priority }) => ({
        contactId: id,
        name,
        phone,
        email,
        language,
        priority,
      })),
    }
  }

  const earlierOf = (userId: string, { alert }: Extract<Command, { type: 'raise' }>): EarlierAlert | null => {
    const { ms, nanos } = alert.at
    const row = sql.earlier.get(userId, alert.payload.deviceId ?? '', ms, nanos) as
      | { incident_id: string; received_at: number; fingerprint: string | null }
      | undefined
    return row === undefined
      ? null
      : { incidentId: row.incident_id, receivedAt: row.received_at, fingerprint: row.fingerprint }
  }

  const save = (before: Incident | null, incident: Incident) => {
    sql.put.run({
      id: incident.id,
      appId: incident.appId,
      userId: incident.userId,
      isOpen: isOpen(incident) ? 1 : 0,
      openedAt: incident.openedAt,
      updatedAt: incident.updatedAt,
      ms: incident.occurredAt.ms,
      nanos: incident.occurredAt.nanos,
      nextActionAt: nextActionAt(incident),
      record: JSON.stringify(incident),
    })
    if (before?.contacts.length === incident.contacts.length) return
    for (const { token, contactId } of incident.contacts) sql.link.run(token, incident.id, contactId)
  }

  const track = (incidentId: string, position: Position, { ms, nanos }: EventTime) => {
    const { at, latitude, longitude, altitude } = position
    const seq = sql.seq.get(incidentId, ms, nanos)
    sql.putPosition.run(incidentId, ms, nanos, seq, at, latitude, longitude, altitude)
  }

  const settle = (before: Incident | null, decision: Decision, unknownDevice: boolean): Committed => {
    const { incident } = decision
    if (incident !== null && incident !== before) save(before, incident)
    const last = incident === null ? undefined : sql.lastPosition.get(incident.id)
    return {
      ...decision,
      lastPosition: last === undefined ? null : positionOfRow(last),
      nextActionAt: incident === null ? null : nextActionAt(incident),
      unknownDevice,
    }
  }

  const raise = (reporter: Reporter, command: Extract<Command, { type: 'raise' }>): Committed => {
    const { userId, unknownDevice } = ownerOf(reporter)
    const before = openOf(userId)
    const situation = { incident: before, site: siteOf(userId), earlier: earlierOf(userId, command) }
    const decision = decide(situation, command)
    const { incident, verdict } = decision
    const { alert } = command
    if (incident !== null && verdict !== 'repeated') {
      const { ms, nanos } = alert.at
      const deviceId = alert.payload.deviceId ?? ''
      sql.putAlert.run(userId, deviceId, ms, nanos, incident.id, alert.receivedAt, alert.fingerprint)
      const position = positionOf(alert.payload, alert.at)
      if (position !== null) track(incident.id, position, alert.at)
    }
    return settle(before, decision, unknownDevice)
  }

  const change = (key: IncidentKey, command: Command): Committed => {
    if (command.type === 'raise') {
      if (!('reporter' in key)) throw new TypeError('an alert is raised by its reporter')
      return raise(key.reporter, command)
    }
    const before = loadByKey(key)
    return settle(before, decide({ incident: before, site: null, earlier: null }, command), false)
  }

  const loadByKey = (key: IncidentKey): Incident | null => {
    if ('incidentId' in key) return parsed(sql.byId.get(key.incidentId))
    return openOf('openOf' in key ? key.openOf : ownerOf(key.reporter).userId)
  }

  return {
    change,
    ownerOf,

    changePending(command: Command): number {
      let changed = 0
      for (const record of sql.pending.all()) {
        const before = parsed(record)
        const decision = decide({ incident: before, site: null, earlier: null }, command)
        if (decision.incident === null || decision.incident === before) continue
        save(before, decision.incident)
        changed += 1
      }
      return changed
    },

    /** Adds a telemetry position to the trail of the owner's open incident, and answers which that is. Decisions 3. */
    trackOpen(openId: string, occurredAt: EventTime, position: Position | null, at: EventTime): void {
      if (position !== null && compareEventTimes(at, occurredAt) >= 0) track(openId, position, at)
    },
  }
}
