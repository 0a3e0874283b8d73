import { MINUTE } from '../../../../lib/durations.ts'
import { StoreError } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import { sqlStateOf } from '../engine/failure.ts'
import { NOW } from '../engine/server-clock.ts'

/** A statement of a copy may wait for a slow disk; no caller waits for the copy. */
export const PATIENCE_MS = 60 * MINUTE
/** For the lock of each table: the server cancels an autovacuum in the way after about a second. */
const LOCK_MS = 8_000
const settings = (lockMs: number): string => `SET LOCAL statement_timeout = ${PATIENCE_MS};
  SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = ${lockMs}`

/** Every table but those that give the schema and whether it is a site, which others may read meanwhile. */
const TABLES = `SELECT format('%I', relname) AS name FROM pg_class
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
    AND relname NOT IN ('schema_version', 'site_copy') ORDER BY relname`
const LIVING = `SELECT id FROM nodes WHERE lease_until > ${NOW}`
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Begins a transaction with exclusive use of the database: until it ends, no one else writes (`SHARE`), or even reads
 * (`ACCESS EXCLUSIVE`). Rejects with a sentence for the operator while a service or a command uses it.
 */
export async function beginAlone(
  connection: Connection,
  mode: 'SHARE' | 'ACCESS EXCLUSIVE',
  lockMs = LOCK_MS,
): Promise<void> {
  await connection.begin()
  try {
    await connection.run(settings(lockMs))
    const tables = await connection.rows<{ name: string }>(TABLES)
    await connection.run(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN ${mode} MODE`, [], PATIENCE_MS)
    const living = await connection.rows<{ id: string }>(LIVING)
    if (living.length > 0) {
      throw new StoreError('a service runs on the database, or did until a moment ago; stop it first', 'fault')
    }
  } catch (error) {
    await connection.rollback()
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error
    throw new StoreError('another process uses the database; stop it first', 'busy', { cause: error })
  }
}
