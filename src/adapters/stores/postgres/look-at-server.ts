import { newestSchema } from '../shared/migrations.ts'
import { Primary } from './engine/connect.ts'
import type { Connection } from './engine/connection.ts'
import { sqlStateOf } from './engine/failure.ts'
import { NOW } from './engine/server-clock.ts'
import { targetOf } from './engine/target.ts'
import { LEASE_SESSION } from './nodes.ts'
import { concernsAbout, FACTS, type ServerFacts } from './upkeep/server-watch.ts'

/** Null without a standby, and where the role may not see it. */
const LAG = `SELECT (extract(epoch FROM max(replay_lag)) * 1000)::double precision AS "lagMs" FROM pg_stat_replication`

/** PostgreSQL's undefined_table. */
const NO_TABLE = '42P01'

/**
 * The database server as it is now, in a session of its own, whatever the schema. Changes nothing. Rejects with a
 * StoreError whose sentence is for the operator.
 */
export async function lookAtServer(url: string) {
  const target = targetOf(url)
  const connection = await new Primary(target, LEASE_SESSION).connect(LEASE_SESSION)
  try {
    const began = performance.now()
    const [clock] = await connection.rows<{ now: number }>(`SELECT ${NOW} AS now`)
    const roundTripMs = performance.now() - began
    const aheadMs = Date.now() - roundTripMs / 2 - (clock?.now ?? 0)
    const [facts] = await connection.rows<ServerFacts>(FACTS)
    const [lag] = await connection.rows<{ lagMs: number | null }>(LAG)
    return {
      schema: await schemaOf(connection),
      known: newestSchema('postgres'),
      standbys: facts?.standbys ?? 0,
      synchronousStandbys: facts?.synchronousStandbys ?? 0,
      lagMs: lag?.lagMs ?? null,
      concerns: facts === undefined ? [] : concernsAbout(facts, target.hosts.length > 1),
      roundTripMs,
      aheadMs,
    }
  } finally {
    await connection.close()
  }
}

/** 0: nothing is there yet. */
async function schemaOf(connection: Connection): Promise<number> {
  try {
    const [row] = await connection.rows<{ version: number }>('SELECT version FROM schema_version')
    return row?.version ?? 0
  } catch (error) {
    if (sqlStateOf(error) === NO_TABLE) return 0
    throw error
  }
}
