import { siteCopyOf, unmarkSite } from '../engine/departure.ts'
import { onStopped } from './stopped.ts'

/**
 * Makes a site again of a database that was copied elsewhere, or an empty one of the target of a copy that broke off.
 * Resolves with the place of the other end; null: it is a site.
 */
export const reopen = (url: string): Promise<string | null> =>
  onStopped(url, async (connection) => {
    const copy = await siteCopyOf(connection)
    await unmarkSite(connection)
    return copy?.place ?? null
  })
