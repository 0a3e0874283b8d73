import type { Alert } from '../../core/alert.ts'
import type { EarlierAlert } from '../../core/incident.ts'
import type { Connection } from './connection.ts'

type Identity = [userId: string, ms: number, nanos: number, deviceId: string]

/** Which alerts came in already. Decisions 3: an alert's identity is its owner, `deviceId` and event time. */
export function alertIdentities(db: Connection) {
  const find = db.prepare<Identity, EarlierAlert>(
    `SELECT incidents.id AS incidentId, received_at AS receivedAt, fingerprint
     FROM alerts JOIN incidents ON incidents.number = alerts.incident
     WHERE user = (SELECT number FROM users WHERE id = ?) AND ms = ? AND nanos = ? AND device_id = ?`,
  )
  const record = db.prepare<[...Identity, number, number, string | null]>(
    `INSERT OR REPLACE INTO alerts (user, ms, nanos, device_id, incident, received_at, fingerprint)
     VALUES ((SELECT number FROM users WHERE id = ?), ?, ?, ?, ?, ?, ?)`,
  )
  const identityOf = (ownerId: string, { at, payload }: Alert): Identity => [
    ownerId,
    at.ms,
    at.nanos,
    payload.deviceId ?? '',
  ]
  return {
    earlier: (ownerId: string, alert: Alert): EarlierAlert | null => find.get(...identityOf(ownerId, alert)) ?? null,
    /** What came before under the same identity led to another incident, and is forgotten. */
    record(ownerId: string, alert: Alert, incident: number): void {
      record.run(...identityOf(ownerId, alert), incident, alert.receivedAt, alert.fingerprint)
    },
  }
}
