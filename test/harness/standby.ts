import type { Ending } from './ending.ts'
import { endsLastFirst } from './last-first.ts'
import { PostgresServer } from './postgres.ts'
import { until } from './wait.ts'

const NAME = 'standby'

/** A database, and the servers that may have it: the first one is the primary at the beginning. */
export type Servers = {
  readonly servers: readonly PostgresServer[]
  readonly database: string
  /** What the database holds now, past the service. */
  rows<T extends object>(sql: string, values?: readonly unknown[]): Promise<readonly T[]>
}

/** One separate server with an empty database. It ends with the test. */
export async function startAlone(t: Ending): Promise<Servers & { readonly primary: PostgresServer }> {
  const primary = await PostgresServer.start()
  endsLastFirst(t, () => primary.stop())
  const database = await primary.createDatabase()
  return { servers: [primary], primary, database, rows: (sql, values) => ask(primary, sql, { database, values }) }
}

/** A primary, and a standby that streams from it: two machines, of which either may be lost. */
export class Pair implements Servers {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  readonly database: string
  /** Whose rows count. */
  #current: PostgresServer

  /** Starts both, with an empty database. They end with the test. `isSynchronous`: commits wait for the standby. */
  static async start(t: Ending, { isSynchronous }: { readonly isSynchronous: boolean }): Promise<Pair> {
    const { primary, database } = await startAlone(t)
    const standby = await primary.startStandby(NAME)
    endsLastFirst(t, () => standby.stop())
    const pair = new Pair(primary, standby, database)
    if (isSynchronous) await pair.waitsForStandby(true)
    return pair
  }

  get servers(): readonly PostgresServer[] {
    return [this.primary, this.standby]
  }

  private constructor(primary: PostgresServer, standby: PostgresServer, database: string) {
    this.primary = primary
    this.standby = standby
    this.database = database
    this.#current = primary
  }

  rows<T extends object>(sql: string, values?: readonly unknown[]): Promise<readonly T[]> {
    return ask<T>(this.#current, sql, { database: this.database, values })
  }

  /** From now on `rows` asks the standby, which has what it has received so far. */
  losesPrimary(): void {
    this.#current = this.standby
  }

  /** From now on commits wait for the standby, or no longer do, as an operator or Patroni configures it. */
  async waitsForStandby(waits: boolean): Promise<void> {
    await ask(this.primary, `ALTER SYSTEM SET synchronous_standby_names = '${waits ? NAME : ''}'`)
    await ask(this.primary, 'SELECT pg_reload_conf()')
    const looked = waits
      ? "SELECT sync_state = 'sync' AS is_true FROM pg_stat_replication"
      : "SELECT current_setting('synchronous_standby_names') = '' AS is_true"
    await until('the servers agree on what a commit waits for', async () => {
      const [row] = await ask<{ is_true: boolean }>(this.primary, looked)
      return row?.is_true
    })
  }

  /** Makes the standby the primary. The old one has to be gone, or out of reach. Resolves when it can be written. */
  async promote(): Promise<void> {
    await ask(this.standby, 'SELECT pg_promote(true)')
    await until('the standby has become the primary', async () => {
      const [row] = await ask<{ is_true: boolean }>(this.standby, 'SELECT NOT pg_is_in_recovery() AS is_true')
      return row?.is_true
    })
  }
}

type Question = { readonly database?: string; readonly values?: readonly unknown[] | undefined }

async function ask<T extends object>(
  server: PostgresServer,
  sql: string,
  { database, values = [] }: Question = {},
): Promise<readonly T[]> {
  const session = await server.session(database)
  try {
    return (await session.query<T>(sql, [...values])).rows
  } finally {
    await session.end()
  }
}
