import type { Connection } from '../engine/connection.ts'
import { beginAlone } from './alone.ts'
import { openForCopy } from './open.ts'

/**
 * Runs `work` as one transaction on the database at `url`, brought up to date, while no service runs on it. Rejects
 * with a sentence for the operator if one does.
 */
export async function onStopped<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { connection } = await openForCopy(url)
  try {
    await beginAlone(connection, 'SHARE')
    const result = await work(connection)
    await connection.commit()
    return result
  } finally {
    await connection.close()
  }
}
