import type { Log } from '../../../../ports/log.ts'
import type { Page, TelemetryQuery, TelemetryRow } from '../../../../ports/store.ts'
import type { TelemetryTable } from '../../shared/expired.ts'
import { type HistoryRow, historyPage, historyRange, ofHistory } from '../../shared/telemetry-history.ts'
import type { TelemetryKey } from '../../shared/telemetry-row.ts'
import type { SqliteDatabase } from '../engine/database.ts'

export function telemetryReads(db: SqliteDatabase, log: Log) {
  const newestFirst = (table: TelemetryTable, compared: '<' | '<=') =>
    db.prepare<[string, ...TelemetryKey, ...TelemetryKey, number], HistoryRow>(
      `SELECT ${ofHistory(table)} FROM ${table}
       WHERE user = (SELECT number FROM users WHERE id = ?)
         AND (ms, nanos, device_id) >= (?, ?, ?) AND (ms, nanos, device_id) ${compared} (?, ?, ?)
       ORDER BY ms DESC, nanos DESC, device_id DESC LIMIT ?`,
    )
  const own = newestFirst('telemetry', '<')
  const others = newestFirst('relayed_telemetry', '<')
  const othersFrom = newestFirst('relayed_telemetry', '<=')
  return {
    telemetryHistory(userId: string, query: TelemetryQuery): Page<TelemetryRow> | { readonly refused: 'bad_cursor' } {
      const range = historyRange(query)
      if (range === null) return { refused: 'bad_cursor' }
      const { first, end, isBehindOwn } = range
      const { limit, isOwn = false } = query
      const read = (rows: typeof own) => rows.all(userId, ...first, ...end, limit + 1)
      return historyPage(read(own), isOwn ? [] : read(isBehindOwn ? othersFrom : others), { userId, limit, log })
    },
  }
}
