import type { Connection } from './connection.ts'

/** SQL for the time of the server's clock, epoch ms: the one that all nodes share, and that deadlines are set by. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export async function serverNow(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ now: number }>(`SELECT ${NOW} AS now`)
  return row!.now
}
