import type { Connection } from './connection.ts'

/** Settings of sessions of one purpose, besides those of all. */
type Purpose = Readonly<Record<string, string>>

/**
 * Statements that look up a few rows by their keys. For rows given as JSON the planner assumes 100, and would rather
 * read whole tables than look so many up.
 */
export const KEYS: Purpose = { enable_hashjoin: 'off', enable_mergejoin: 'off' }

/**
 * As `KEYS`, for lanes in which many calls queue behind one that waits for a lock. A frozen node holds its locks for up
 * to 5 s.
 */
export const KEYS_SOON: Purpose = { ...KEYS, lock_timeout: '500ms' }

/**
 * Statements that get all their rows as arrays. To plan one takes as long as to store fifty rows, and the planner would
 * do so each time, because it knows the length of an array only then. A plan that is kept must not have been made for
 * tables that were small.
 */
export const ARRAYS: Purpose = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** Writes that may be lost in a crash of the server: they wait for no disk and no standby. */
export const LOOSE: Purpose = { synchronous_commit: 'off' }

/** Opens a session for one purpose. Rejects as `connect` does, or with the server's error. */
export async function connectFor(purpose: Purpose, connect: () => Promise<Connection>): Promise<Connection> {
  const connection = await connect()
  const settings = Object.entries(purpose)
  const calls = settings.map((_, n) => `set_config($${2 * n + 1}, $${2 * n + 2}, false)`)
  try {
    await connection.rows(`SELECT ${calls.join(', ')}`, settings.flat())
  } catch (error) {
    void connection.close()
    throw error
  }
  return connection
}
