import { siteCopyOf, unmarkSite } from '../engine/departure.ts'
import { beginAlone } from './alone.ts'
import { openForCopy } from './open.ts'

/**
 * Makes a site again of a database that was copied elsewhere, or an empty one of the target of a copy that broke off.
 * Resolves with the place of the other end; null: it is a site.
 */
export async function reopen(url: string): Promise<string | null> {
  const { connection } = await openForCopy(url)
  try {
    await beginAlone(connection, 'SHARE')
    const copy = await siteCopyOf(connection)
    await unmarkSite(connection)
    await connection.commit()
    return copy?.place ?? null
  } finally {
    await connection.close()
  }
}
