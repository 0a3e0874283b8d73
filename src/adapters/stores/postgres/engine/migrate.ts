import { MINUTE } from '../../../../lib/durations.ts'
import { type Migration, migrationsOf, newestOf } from '../../shared/migrations.ts'
import type { Connection } from './connection.ts'
import { sqlStateOf } from './failure.ts'

/** A migration may copy a large table, and one of another process may be under way. */
const PATIENCE_MS = 10 * MINUTE
const PATIENCE = `SET LOCAL lock_timeout = ${PATIENCE_MS}; SET LOCAL statement_timeout = ${PATIENCE_MS}`
const LOCK = 'SELECT version FROM schema_version FOR UPDATE'

const CREATE = `CREATE TABLE IF NOT EXISTS schema_version (
  only_row boolean PRIMARY KEY CHECK (only_row),
  version integer NOT NULL
)`
/** If two nodes begin together, the second finds the table, or fails on the first's half of it. */
const CREATED_MEANWHILE = ['23505', '42P07', '42710']

/**
 * Brings the database up to the newest migration in one transaction. Safe in several processes: one row is the lock.
 * Throws, with a sentence for the operator, if the database is newer than the code or a migration fails; nothing is
 * changed then.
 */
export async function migrate(connection: Connection, known = migrationsOf('postgres')): Promise<void> {
  const newest = newestOf(known)
  if ((await versionOf(connection)) === newest) return
  await connection.begin()
  try {
    await connection.run(PATIENCE)
    await connection.run(LOCK, [], PATIENCE_MS)
    const version = await versionOf(connection)
    if (version > newest) throw new Error(tooNew(version, newest))
    for (const migration of known.filter(({ number }) => number > version)) {
      await apply(connection, migration)
      await connection.run('UPDATE schema_version SET version = $1', [migration.number])
    }
  } catch (error) {
    await connection.rollback()
    throw error
  }
  await connection.commit()
}

/** The version of the schema. 0: nothing is there but the row that says so, which this makes. */
async function versionOf(connection: Connection): Promise<number> {
  const read = (): Promise<readonly { version: number }[]> => connection.rows('SELECT version FROM schema_version')
  try {
    const [row] = await read()
    if (row !== undefined) return row.version
  } catch (error) {
    if (sqlStateOf(error) !== '42P01') throw error
  }
  await connection.run(CREATE).catch((error) => {
    if (!CREATED_MEANWHILE.includes(sqlStateOf(error) ?? '')) throw error
  })
  await connection.run('INSERT INTO schema_version (only_row, version) VALUES (true, 0) ON CONFLICT DO NOTHING')
  const [row] = await read()
  return row?.version ?? 0
}

async function apply(connection: Connection, { file, sql }: Migration): Promise<void> {
  try {
    await connection.run(sql(), [], PATIENCE_MS)
  } catch (error) {
    throw new Error(
      `the database could not be upgraded (${file}: ${error instanceof Error ? error.message : error}); nothing was changed, and the version that wrote it can still use it`,
      { cause: error },
    )
  }
}

const tooNew = (version: number, newest: number): string =>
  `the database was written by a newer version of Tocsin (its schema is version ${version}, this one supports up to ${newest}); update Tocsin`
