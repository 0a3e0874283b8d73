import { join } from 'node:path'
import type { PostgresServer } from '../../test/harness/postgres.ts'
import { type Distance, startDistance } from './distance.ts'
import { startTocsin, type Tocsin } from './tocsin.ts'

/** Services that share a database: what a measurement compares. */
export type Fleet = {
  readonly name: string
  readonly nodes: readonly Tocsin[]
  /** The process id of their database server; null: the store is in the services. */
  readonly database: number | null
  /** Between the nodes and their database; null: nothing. */
  readonly distance: Distance | null
  stop(): Promise<void>
}

/** Where contacts would reach the service. Several nodes must be told. */
const PUBLIC_URL = { TOCSIN_PUBLIC_URL: 'https://bench.invalid' }

export async function startAlone(dir: string): Promise<Fleet> {
  const tocsin = await startTocsin(join(dir, 'sqlite'), [], PUBLIC_URL)
  return { name: 'SQLite', nodes: [tocsin], database: null, distance: null, stop: () => tocsin.stop() }
}

/** `count` nodes on a separate database, `delayMs` away from it. */
export async function startNodes(
  dir: string,
  server: PostgresServer,
  { count, delayMs }: { readonly count: number; readonly delayMs: number },
): Promise<Fleet> {
  const database = await server.createDatabase()
  const distance = delayMs === 0 ? null : await startDistance(join(server.directory, '.s.PGSQL.5432'), delayMs)
  const url =
    distance === null
      ? server.url(database)
      : `postgresql://tocsin@127.0.0.1:${distance.port}/${database}?sslmode=disable`
  const nodes: Tocsin[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()))
    await distance?.stop()
  }
  try {
    for (let n = 1; n <= count; n++) {
      const more = { ...PUBLIC_URL, TOCSIN_STORE_URL: url }
      nodes.push(await startTocsin(join(dir, `${database}-${n}`), [], more))
    }
    const away = delayMs === 0 ? '' : `, ${delayMs} ms away`
    const name = `PostgreSQL, ${count} ${count === 1 ? 'node' : 'nodes'}${away}`
    return { name, nodes, database: await server.pid(), distance, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
