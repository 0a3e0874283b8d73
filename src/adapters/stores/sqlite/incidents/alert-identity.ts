import type { SentBy } from '../../../../core/incident/end.ts'
import type { EarlierAlert } from '../../../../core/incident/incident.ts'
import { RUN_LENGTH, type RunPress } from '../../../../core/incident/put-off.ts'
import type { Alert } from '../../../../core/ingest/alert.ts'
import { identifiedDevice } from '../../../../core/ingest/device-key.ts'
import { MAX_IDENTITIES, SLACK_ROWS } from '../../shared/limits.ts'
import type { SqliteDatabase } from '../engine/database.ts'

type Identity = [userId: string, ms: number, nanos: number, deviceId: string]

type Recorded = {
  readonly incident: number
  readonly isRelayed: boolean
  readonly sentBy: SentBy
  readonly run: string | null
}

/** The alerts received before. rules.md#identity: an alert's identity is its owner, `deviceId` and event time. */
export function alertIdentities(db: SqliteDatabase) {
  // An earlier version kept a device in the spelling that was sent.
  const find = db.prepare<[...Identity, sentId: string], Omit<EarlierAlert, 'isRelayed'> & { readonly relayed: 0 | 1 }>(
    `SELECT incidents.id AS incidentId, received_at AS receivedAt, fingerprint, relayed
     FROM alerts JOIN incidents ON incidents.number = alerts.incident
     WHERE user = (SELECT number FROM users WHERE id = +?) AND ms = +? AND nanos = +? AND device_id IN (+?, +?)
     ORDER BY received_at DESC LIMIT 1`,
  )
  const record = db.prepare<
    [...Identity, number, number, string | null, 0 | 1, number | null, number | null, SentBy, string | null]
  >(
    `INSERT OR REPLACE INTO alerts
       (user, ms, nanos, device_id, incident, received_at, fingerprint, relayed, sent_ms, sent_nanos, sent_by, run)
     VALUES ((SELECT number FROM users WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const runs = db.prepare<[string, string, number], RunPress>(
    `SELECT received_at AS receivedAt, run FROM alerts INDEXED BY alerts_by_arrival
     WHERE user = (SELECT number FROM users WHERE id = +?) AND device_id = +? AND run IS NOT NULL
     ORDER BY received_at DESC LIMIT +?`,
  )
  const count = db.prepare<[number], number>('SELECT count(*) FROM alerts WHERE incident = ?').pluck()
  const forget = db.prepare<[number, number]>(
    'DELETE FROM alerts WHERE incident = ? ORDER BY received_at, ms, nanos LIMIT ?',
  )
  const identityOf = (ownerId: string, alert: Alert): Identity => [
    ownerId,
    alert.at.ms,
    alert.at.nanos,
    identifiedDevice(alert),
  ]
  return {
    earlier(ownerId: string, alert: Alert): EarlierAlert | null {
      const row = find.get(...identityOf(ownerId, alert), alert.payload.deviceId ?? '')
      if (row === undefined) return null
      const { relayed, ...earlier } = row
      return { ...earlier, isRelayed: relayed === 1 }
    },
    /** The newest presses of the user and this device, newest first, as far back as a run is judged by. */
    lastOf: (ownerId: string, alert: Alert): readonly RunPress[] =>
      runs.all(ownerId, identifiedDevice(alert), RUN_LENGTH - 1),
    /**
     * Replaces an earlier alert of the same identity, which led to another incident. Forgets the oldest of an incident
     * that has very many. If one of those is sent again it counts as a further alert: that may alarm once more, but
     * never once less.
     */
    record(ownerId: string, alert: Alert, { incident, isRelayed, sentBy, run }: Recorded): void {
      const { receivedAt, fingerprint, sentAt = null } = alert
      const sent = [sentAt?.ms ?? null, sentAt?.nanos ?? null, sentBy, run] as const
      record.run(...identityOf(ownerId, alert), incident, receivedAt, fingerprint, isRelayed ? 1 : 0, ...sent)
      const kept = count.get(incident) ?? 0
      if (kept > MAX_IDENTITIES + SLACK_ROWS) forget.run(incident, kept - MAX_IDENTITIES)
    },
  }
}
