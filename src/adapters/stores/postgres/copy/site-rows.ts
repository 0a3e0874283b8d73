import type { SiteReader } from '../../shared/copy-site.ts'
import { type ColumnKind, clockValues, numberedTables, type SiteRow, type SiteTable } from '../../shared/site-tables.ts'
import type { Connection } from '../engine/connection.ts'
import { PATIENCE_MS } from './alone.ts'

/** A row has at most one packet: 64 KiB, if the operator has not allowed more. */
const ROWS_AT_ONCE = 500

/** The expression that reads a value of each kind. */
const readAs: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => column,
  real: (column) => column,
  text: (column) => column,
  boolean: (column) => `${column}::integer`,
  json: (column) => `${column}::text`,
  bytes: (column) => `encode(${column}, 'hex')`,
}

/** The sequences that give out the ids of tables. */
export const sequenceOf = (table: (typeof numberedTables)[number]): string =>
  table === 'incidents' ? 'incident_numbers' : table === 'users' ? 'users_number_seq' : `${table}_id_seq`

const listed = <T extends string>(names: readonly T[], value: (name: T) => string): string =>
  names.map((name) => `SELECT '${name}', ${value(name)}`).join(' UNION ALL ')

/** Tables that do not exist here. */
export const selections: Readonly<Record<string, string>> = {
  highest_ids: listed(
    numberedTables,
    (name) => `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequenceOf(name)})`,
  ),
  clock: listed(clockValues, (name) =>
    name === 'newest_moment'
      ? 'coalesce((SELECT max(newest_moment) FROM moments), 0)'
      : `coalesce((SELECT value FROM meta WHERE key = '${name}'), 0)`,
  ),
}

const OF_USER = 'EXISTS (SELECT 1 FROM users WHERE users.number = user_number)'
const OF_INCIDENT = 'EXISTS (SELECT 1 FROM incidents WHERE incidents.number = incident_number)'

/** Rows that do not travel: usage of zero, and orphans that were in flight while their user or incident was deleted. */
const conditions: Readonly<Record<string, string>> = {
  usage: 'telemetry_bytes <> 0 OR dead_letter_bytes <> 0',
  telemetry: OF_USER,
  relayed_telemetry: OF_USER,
  trail: OF_INCIDENT,
  relayed_trail: OF_INCIDENT,
}

function selectionOf({ name, key, columns }: SiteTable): string {
  const own = selections[name]
  if (own !== undefined) return own
  const values = Object.entries(columns).map(([column, kind]) => readAs[kind](column))
  const order = Object.keys(columns).slice(0, key).join(', ')
  return `SELECT ${values.join(', ')} FROM ${name} WHERE ${conditions[name] ?? 'true'} ORDER BY ${order}`
}

/**
 * The rows of a database in a transaction that has it for itself. By a cursor, and by the index of the key where there
 * is one: sorting a large table would fill the disk.
 */
export const siteRowsOf = (connection: Connection): SiteReader => ({
  async *rows(table) {
    await connection.run('SET LOCAL enable_sort = off')
    await connection.run(`DECLARE site_rows NO SCROLL CURSOR FOR ${selectionOf(table)}`)
    const fetch = (): Promise<readonly SiteRow[]> =>
      connection.arrays<SiteRow>(`FETCH ${ROWS_AT_ONCE} FROM site_rows`, PATIENCE_MS)
    // Fetches the next ones while these are processed.
    for (let next = fetch(); ; ) {
      const rows = await next
      if (rows.length === ROWS_AT_ONCE) {
        next = fetch()
        next.catch(() => {})
      }
      if (rows.length > 0) yield rows
      if (rows.length < ROWS_AT_ONCE) break
    }
    await connection.run('CLOSE site_rows')
  },
})
