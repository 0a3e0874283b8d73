import { StoreError } from '../../../../ports/store.ts'
import type { SiteTarget } from '../../shared/copy-site.ts'
import { type ColumnKind, numberedTables, type SiteRow, type SiteTable, siteTables } from '../../shared/site-tables.ts'
import type { Connection } from '../engine/connection.ts'
import { markSite, siteCopyOf, unmarkSite } from '../engine/departure.ts'
import { toStoreError } from '../engine/failure.ts'
import { beginAlone, PATIENCE_MS } from './alone.ts'
import { openForCopy } from './open.ts'
import { selections, sequenceOf, siteRowsOf } from './site-rows.ts'

/** The tables that a site fills; what only describes a running service is cleared with them. */
const filled = siteTables.map(({ name }) => name).filter((name) => !(name in selections))
const cleared = [...filled, 'claims', 'erased', 'moments', 'notices', 'meta', 'clock_jumps', 'clock_confirmed']

/**
 * Opens the database at `url` as the target of a copy from `from`, which is one transaction: an interrupted copy leaves
 * only a mark that there is no site here yet, and the next one starts over. Rejects with a sentence for the operator.
 */
export async function openTarget(url: string, from: string): Promise<SiteTarget> {
  const { place, connection } = await openForCopy(url)
  try {
    await beginAlone(connection, 'ACCESS EXCLUSIVE')
    await refuseFull(connection)
    await markSite(connection, { state: 'arriving', place: from })
    await connection.commit()
    await beginAlone(connection, 'ACCESS EXCLUSIVE')
    await refuseFull(connection)
    await connection.run(`TRUNCATE ${cleared.join(', ')}`)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    place,
    ...siteRowsOf(connection),
    async write(table, rows) {
      try {
        await (writers[table.name] ?? insert)(connection, rows, table)
      } catch (error) {
        throw toStoreError(error)
      }
    },
    async written() {
      await connection.run("SELECT setval('feedback_number_seq', max(number)) FROM feedback HAVING count(*) > 0")
      // Until the server's own ANALYZE, the first alarms would run with plans for empty tables.
      await connection.run(`ANALYZE ${filled.join(', ')}`, [], PATIENCE_MS)
    },
    async complete() {
      await unmarkSite(connection)
      await connection.commit()
    },
    close: () => connection.close(),
  }
}

async function refuseFull(connection: Connection): Promise<void> {
  const copy = await siteCopyOf(connection)
  if (copy?.state === 'left') throw notEmpty(`it was copied to ${copy.place}`)
  // A node that has been here once has left its keys.
  for (const name of [...filled, 'erased'].filter((table) => table !== 'shared_keys')) {
    if ((await connection.rows(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) throw notEmpty(`there are ${name} in it`)
  }
}

const notEmpty = (why: string): StoreError =>
  new StoreError(`the database is not empty: ${why}; create another one for the copy`, 'fault')

/** The form in which values of each kind are sent, and stored. */
const sentAs: Readonly<Record<ColumnKind, readonly [type: string, value: (column: string) => string]>> = {
  integer: ['bigint', (column) => column],
  real: ['double precision', (column) => column],
  text: ['text', (column) => column],
  boolean: ['integer', (column) => `${column}::boolean`],
  json: ['text', (column) => `${column}::json`],
  bytes: ['text', (column) => `decode(${column}, 'hex')`],
}

type Writer = (connection: Connection, rows: readonly SiteRow[], table: SiteTable) => Promise<unknown>

const insert: Writer = (connection, rows, { name, columns }) => {
  const names = Object.keys(columns)
  const kinds = Object.values(columns)
  const types = kinds.map((kind, place) => `$${place + 1}::${sentAs[kind][0]}[]`)
  const values = names.map((column, place) => sentAs[kinds[place]!][1](column))
  const text = `INSERT INTO ${name} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${values.join(', ')} FROM unnest(${types.join(', ')}) AS sent (${names.join(', ')})`
  const sent = names.map((_, place) => rows.map((row) => row[place]))
  return connection.run({ name: `copy-${name}`, text }, sent, PATIENCE_MS)
}

/** Tables that do not exist here. */
const writers: Readonly<Record<string, Writer>> = {
  async highest_ids(connection, rows) {
    for (const name of numberedTables) {
      const [, id] = rows.find(([named]) => named === name) ?? []
      await connection.run(`SELECT setval('${sequenceOf(name)}', greatest(1, $1::bigint), $1::bigint > 0)`, [id])
    }
  },
  async clock(connection, rows) {
    for (const [name, value] of rows) {
      await (name === 'newest_moment'
        ? connection.run("INSERT INTO moments (node, slot, newest_moment) VALUES ('copy', 0, $1)", [value])
        : connection.run('INSERT INTO meta (key, value) VALUES ($1, $2)', [name, value]))
    }
  },
}
