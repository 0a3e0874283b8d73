import type { SiteReader } from '../../shared/copy-site.ts'
import { clockValues, numberedTables, type SiteRow, type SiteTable } from '../../shared/site-tables.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const MAX_ROWS = 1000
/** Characters of text, about. */
const MAX_BATCH_SIZE = 4 * 1024 * 1024

/** Columns that have another name here than where they travel. */
const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tracking_tokens: { incident_number: 'incident' },
  alerts: { user_number: 'user', incident_number: 'incident' },
  awaited_ends: { user_number: 'user' },
  timeline: { incident_number: 'incident' },
  incident_notes: { incident_number: 'incident' },
  called_back: { incident_number: 'incident' },
  trail: { incident_number: 'incident' },
  relayed_trail: { incident_number: 'incident' },
  telemetry: { user_number: 'user' },
  relayed_telemetry: { user_number: 'user' },
  feedback: { number: 'rowid' },
}

/** The columns of a table as they are called here. */
export const columnsHere = ({ name, columns }: SiteTable): readonly string[] =>
  Object.keys(columns).map((column) => renamed[name]?.[column] ?? column)

const listed = (names: readonly string[], value: (name: string) => string): string =>
  names.map((name) => `SELECT '${name}', ${value(name)}`).join(' UNION ALL ')

/** Tables that are not a plain list of columns here. */
const selections: Readonly<Record<string, string>> = {
  usage: `SELECT number, telemetry_bytes, dead_letter_bytes FROM users
    WHERE telemetry_bytes <> 0 OR dead_letter_bytes <> 0 ORDER BY number`,
  incidents: `SELECT number, id, app_id, incidents.user_id, open, occurred_ms, occurred_nanos, opened_at, closed_at,
      next_action_at, relays.user_id, record ->> '$.throughDevice', owner_id, major_id, coalesce(record ->> '$.held', 0), drill,
      put_off, urgency, record
    FROM incidents LEFT JOIN relays ON relays.incident = number ORDER BY number`,
  highest_ids: listed(
    numberedTables,
    (name) => `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${name}'), 0)`,
  ),
  clock: listed(clockValues, (name) => `coalesce((SELECT value FROM meta WHERE key = '${name}'), 0)`),
}

function selectionOf(table: SiteTable): string {
  const own = selections[table.name]
  if (own !== undefined) return own
  const names = columnsHere(table)
  const kinds = Object.values(table.columns)
  const values = names.map((name, place) =>
    kinds[place] === 'bytes' ? `iif(${name} IS NULL, NULL, lower(hex(${name})))` : name,
  )
  return `SELECT ${values.join(', ')} FROM ${table.name} ORDER BY ${names.slice(0, table.key).join(', ')}`
}

/**
 * The rows of a database that does not change meanwhile, on a connection used for nothing else. `keys`: the rows that
 * are in no table.
 */
export const siteRowsOf = (db: SqliteDatabase, keys: () => readonly SiteRow[]): SiteReader => ({
  async *rows(table) {
    if (table.name === 'shared_keys') {
      yield keys()
      return
    }
    let batch: SiteRow[] = []
    let size = 0
    for (const row of db.prepare<[], SiteRow>(selectionOf(table)).raw().iterate()) {
      batch.push(row.map(withoutNul))
      size += row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
      if (batch.length < MAX_ROWS && size < MAX_BATCH_SIZE) continue
      yield batch
      batch = []
      size = 0
    }
    if (batch.length > 0) yield batch
  },
})

/** PostgreSQL stores no U+0000 in text. Only texts that people typed may have one: JSON escapes it. */
const withoutNul = (value: SiteRow[number]): SiteRow[number] =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
