import type { CompactionStore } from '../../../../ports/store.ts'
import type { TelemetryTable } from '../../shared/expired.ts'
import { type AnyRow, anyRow, type SlicePlace, sliceOf, tableOf, textsOf } from '../../shared/text-rows.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

type Key = [user: number, ms: number, nanos: number, deviceId: string]

export function textRowReads(db: SqliteDatabase) {
  const rowsOf = (table: TelemetryTable) =>
    db.prepare<[...SlicePlace, number], AnyRow>(
      `SELECT ${anyRow('user')} FROM ${table} WHERE (user, ms, nanos, device_id) > (?, ?, ?, ?)
       ORDER BY user, ms, nanos, device_id LIMIT ?`,
    )
  const reads = { telemetry: rowsOf('telemetry'), relayed_telemetry: rowsOf('relayed_telemetry') }
  return {
    textRows(slice: Parameters<CompactionStore['textRows']>[0]) {
      const { table, place } = sliceOf(slice)
      return textsOf(table, reads[table].all(...place, slice.max), slice.max)
    },
  }
}

const replacing = ({ db }: WriteContext) => {
  const ofTable = (table: TelemetryTable) => ({
    size: db
      .prepare<Key, number>(
        `SELECT length(payload) FROM ${table} WHERE (user, ms, nanos, device_id) = (?, ?, ?, ?) AND compact IS NULL`,
      )
      .pluck(),
    replace: db.prepare<[Uint8Array, ...Key]>(
      `UPDATE ${table} SET payload = '', compact = ? WHERE (user, ms, nanos, device_id) = (?, ?, ?, ?)`,
    ),
  })
  return {
    tables: { telemetry: ofTable('telemetry'), relayed_telemetry: ofTable('relayed_telemetry') },
    give: db.prepare<[number, number]>(
      'UPDATE users SET telemetry_bytes = max(0, telemetry_bytes - ?) WHERE number = ?',
    ),
  }
}

/** Rewrites rows of earlier versions: `tocsin store compact`. */
export const compactionWrites = writesOf<Pick<CompactionStore, 'compactRows'>>()(replacing, {
  compactRows: {
    lane: 'bulk',
    reserve: 'spares',
    run({ tables, give }, rows) {
      const freed = new Map<number, number>()
      let changed = 0
      for (const row of rows) {
        const { size, replace } = tables[tableOf(row)]
        const key: Key = [row.user, row.ms, row.nanos, row.deviceId]
        const before = size.get(...key)
        if (before === undefined) continue
        changed += replace.run(row.compact, ...key).changes
        freed.set(row.user, (freed.get(row.user) ?? 0) + before - row.compact.byteLength)
      }
      for (const [user, bytes] of freed) give.run(bytes, user)
      return { rows: changed, bytes: [...freed.values()].reduce((sum, bytes) => sum + bytes, 0) }
    },
  },
})
