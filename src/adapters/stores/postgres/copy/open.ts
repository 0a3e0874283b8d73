import { Primary } from '../engine/connect.ts'
import type { Connection } from '../engine/connection.ts'
import { migrate } from '../engine/migrate.ts'
import { type Target, targetOf } from '../engine/target.ts'
import { PATIENCE_MS } from './alone.ts'

/** A session on a database with the newest schema, and the place of it, without the password. */
export async function openForCopy(url: string): Promise<{ readonly place: string; readonly connection: Connection }> {
  const target = targetOf(url)
  const connection = await new Primary(target, { commitTimeoutMs: PATIENCE_MS }).connect()
  try {
    await migrate(connection)
    return { place: placeOf(target), connection }
  } catch (error) {
    await connection.close()
    throw error
  }
}

const placeOf = ({ hosts, database }: Target): string => {
  const names = hosts.map(({ host, port }) => (host.startsWith('/') ? host : `${host}:${port}`))
  return `the PostgreSQL database ${database} on ${names.join(' or ')}`
}
