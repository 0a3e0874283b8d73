import type { CompactionStore } from '../../../../ports/store.ts'
import type { TelemetryTable } from '../../shared/expired.ts'
import { type AnyRow, anyRow, sliceOf, textsOf } from '../../shared/text-rows.ts'
import { byteas } from '../engine/binary-arrays.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'
import { moveUsage } from './trim.ts'

const rowsOf = (table: TelemetryTable) => ({
  name: `text-rows-${table}`,
  text: `SELECT ${anyRow('user_number')} FROM ${table}
    WHERE (user_number, ms, nanos, device_id) > ($1::bigint, $2::bigint, $3::bigint, $4)
    ORDER BY user_number, ms, nanos, device_id LIMIT $5`,
})

export const textRowReads = ({ rows }: Reader): Pick<CompactionStore, 'textRows'> => ({
  async textRows(slice) {
    const { table, place } = sliceOf(slice)
    return textsOf(table, await rows<AnyRow>(rowsOf(table), [...place, slice.max]), slice.max)
  },
})

/** `before` is read in the statement's snapshot: the rows are not rewritten by anybody else. */
const replaceSql = (table: TelemetryTable): string => `WITH sent AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[], $5::bytea[])
      AS sent (user_number, ms, nanos, device_id, compact)
  ), before AS MATERIALIZED (
    SELECT sent.*, length(payload) AS bytes FROM sent JOIN ${table} USING (user_number, ms, nanos, device_id)
    WHERE ${table}.compact IS NULL
    FOR UPDATE OF ${table} SKIP LOCKED
  ), changed AS (
    UPDATE ${table} AS row SET payload = '', compact = before.compact FROM before
    WHERE (row.user_number, row.ms, row.nanos, row.device_id) = (before.user_number, before.ms, before.nanos, before.device_id)
    RETURNING row.user_number, before.bytes - length(before.compact) AS bytes
  )
  SELECT user_number AS "user", count(*) AS rows, sum(bytes) AS bytes FROM changed GROUP BY 1`

/** Before their rows, as a trim does: so neither waits for the other in turn. */
const LOCK_USAGE = `SELECT FROM usage WHERE user_number = ANY($1::bigint[]) ORDER BY user_number FOR UPDATE`

type Changed = { readonly user: number; readonly rows: number; readonly bytes: number }

/** Rewrites rows of earlier versions: `tocsin store compact`. */
export const compactionWrites = writesOf<Pick<CompactionStore, 'compactRows'>>()({
  compactRows: {
    async run({ connection }, sent) {
      await connection.rows(LOCK_USAGE, [[...new Set(sent.map(({ user }) => user))]])
      let [count, freed] = [0, 0]
      for (const table of ['telemetry', 'relayed_telemetry'] as const) {
        const rows = sent.filter(({ isRelayed }) => isRelayed === (table === 'relayed_telemetry'))
        if (rows.length === 0) continue
        const changed = await connection.rows<Changed>(replaceSql(table), [
          rows.map(({ user }) => user),
          rows.map(({ ms }) => ms),
          rows.map(({ nanos }) => nanos),
          rows.map(({ deviceId }) => deviceId),
          byteas(rows.map(({ compact }) => compact)),
        ])
        for (const { user, rows: ofUser, bytes } of changed) {
          await moveUsage(connection, { userNumber: user, column: 'telemetry_bytes', bytes: -bytes })
          count += ofUser
          freed += bytes
        }
      }
      return { rows: count, bytes: freed }
    },
  },
})
