import type { Page, TelemetryQuery, TelemetryRow } from '../../../../ports/store.ts'
import { cursorOf, readCursor } from '../../shared/cursor.ts'
import { BEFORE_ALL, BEYOND_ALL, eventTimeOf, type TelemetryKey } from '../../shared/telemetry-row.ts'
import type { SqliteDatabase } from '../engine/database.ts'

type StoredRow = {
  readonly ms: number
  readonly nanos: number
  readonly device_id: string
  readonly at: string | null
  readonly received_at: number
  readonly payload: string
}

const isBefore = (a: TelemetryKey, b: TelemetryKey): boolean =>
  (a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1)) < 0

export function telemetryReads(db: SqliteDatabase) {
  const newestFirst = db.prepare<[string, ...TelemetryKey, ...TelemetryKey, number], StoredRow>(
    `SELECT ms, nanos, device_id, at, received_at, payload FROM telemetry
     WHERE user = (SELECT number FROM users WHERE id = ?)
       AND (ms, nanos, device_id) >= (?, ?, ?) AND (ms, nanos, device_id) < (?, ?, ?)
     ORDER BY ms DESC, nanos DESC, device_id DESC LIMIT ?`,
  )
  const rowOf = (stored: StoredRow): TelemetryRow => {
    const payload = JSON.parse(stored.payload)
    return { payload, at: eventTimeOf(payload, stored), receivedAt: stored.received_at }
  }
  return {
    telemetryHistory(
      userId: string,
      { after, limit, from, to }: TelemetryQuery,
    ): Page<TelemetryRow> | { readonly refused: 'bad_cursor' } {
      const place = after === null ? BEYOND_ALL : readCursor(after, 'telemetry', ['number', 'number', 'string'])
      if (place === null) return { refused: 'bad_cursor' }
      const behind = place as TelemetryKey
      const first: TelemetryKey = from === null ? BEFORE_ALL : [from.ms, from.nanos, '']
      // Both ends are inclusive: the first place after `to` is that of the next nanosecond.
      const end: TelemetryKey = to === null ? BEYOND_ALL : [to.ms, to.nanos + 1, '']
      const rows = newestFirst.all(userId, ...first, ...(isBefore(behind, end) ? behind : end), limit + 1)
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        items: shown.map(rowOf),
        after: last === undefined ? null : cursorOf('telemetry', [last.ms, last.nanos, last.device_id]),
      }
    },
  }
}
