import type { Database } from 'better-sqlite3'
import type { Position } from '../../../core/payload.ts'
import type { Reporter, TelemetryStored } from '../../../ports/store.ts'
import type { IncidentWrites } from './incidents.ts'

/** A telemetry row as it is handed to the writer: flat and small, its payload already text. */
export type TelemetryHandedIn = {
  readonly reporter: Reporter
  readonly at: { readonly text: string; readonly ms: number; readonly nanos: number }
  readonly receivedAt: number
  readonly payload: string
  readonly position: Position | null
}

export function telemetryWrites(db: Database, incidents: IncidentWrites) {
  const userNo = db.prepare('SELECT no FROM users WHERE id = ?').pluck()
  const insert = db.prepare(`INSERT OR IGNORE INTO telemetry
    (user_no, at_ms, at_nanos, device_id, received_at, payload) VALUES (?, ?, ?, ?, ?, ?)`)
  const open = db.prepare('SELECT id, occurred_ms, occurred_nanos FROM incidents WHERE user_id = ? AND is_open')
  // Numbers of users never change, and there are few beside the rows that name them.
  const numbers = new Map<string, number>()
  const numberOf = (userId: string): number => {
    let no = numbers.get(userId)
    if (no === undefined) {
      no = userNo.get(userId) as number | undefined
      if (no === undefined) throw new Error('the owner of a telemetry row is gone')
      numbers.set(userId, no)
    }
    return no
  }
  return {
    append({ reporter, at, receivedAt, payload, position }: TelemetryHandedIn): TelemetryStored {
      const { userId, unknownDevice } = incidents.ownerOf(reporter)
      const { changes } = insert.run(numberOf(userId), at.ms, at.nanos, reporter.deviceId ?? '', receivedAt, payload)
      const duplicate = changes === 0
      const row = open.get(userId) as { id: string; occurred_ms: number; occurred_nanos: number } | undefined
      if (row === undefined) return { duplicate, incidentId: null, unknownDevice }
      if (!duplicate) {
        incidents.trackOpen(row.id, { text: '', ms: row.occurred_ms, nanos: row.occurred_nanos }, position, at)
      }
      return { duplicate, incidentId: row.id, unknownDevice }
    },
  }
}
