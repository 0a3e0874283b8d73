import type { SiteSource } from '../../shared/copy-site.ts'
import { markSite, refuseDeparted, unmarkSite } from '../engine/departure.ts'
import { beginAlone } from './alone.ts'
import { openForCopy } from './open.ts'
import { siteRowsOf } from './site-rows.ts'

/**
 * Opens the database at `url` to be copied. No service may run on it, and no command can write meanwhile: it would be
 * lost. Rejects with a sentence for the operator.
 */
export async function openSource(url: string): Promise<SiteSource> {
  const { place, connection } = await openForCopy(url)
  try {
    await beginAlone(connection, 'SHARE')
    await refuseDeparted(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    place,
    ...siteRowsOf(connection),
    async leave(target) {
      await markSite(connection, { state: 'left', place: target })
      await connection.commit()
      return async () => void (await unmarkSite(connection))
    },
    close: () => connection.close(),
  }
}
