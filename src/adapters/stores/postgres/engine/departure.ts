import { StoreError } from '../../../../ports/store.ts'
import { leftSentence } from '../../shared/departure.ts'
import type { Connection } from './connection.ts'
import { NOW } from './server-clock.ts'

/** A copy into this database is not complete, or everything in it was copied elsewhere. `at`: epoch ms. */
type SiteCopy = { readonly state: 'arriving' | 'left'; readonly place: string; readonly at: number }

/** Null: this is a site, or an empty database. */
export async function siteCopyOf(connection: Connection): Promise<SiteCopy | null> {
  const [copy] = await connection.rows<SiteCopy>('SELECT state, place, at FROM site_copy')
  return copy ?? null
}

/** The reason why there is no site, for the operator: it has left, or is still to arrive. Null: there is one. */
export async function whyNoSite(connection: Connection): Promise<string | null> {
  const copy = await siteCopyOf(connection)
  if (copy === null) return null
  const { state, place, at } = copy
  return state === 'left'
    ? leftSentence(place, at)
    : `a copy of ${place} into this database began at ${new Date(at).toISOString()} and is not complete; wait for it, or if it has ended run tocsin store copy there again, or tocsin store reopen to begin with an empty site here`
}

/** Rejects where there is no site, with a sentence for the operator. */
export async function refuseDeparted(connection: Connection): Promise<void> {
  const why = await whyNoSite(connection)
  if (why !== null) throw new StoreError(why, 'fault')
}

const MARK = `INSERT INTO site_copy (only_row, state, place, at) VALUES (true, $1, $2, ${NOW})
  ON CONFLICT (only_row) DO UPDATE SET state = excluded.state, place = excluded.place, at = excluded.at`

/** In a transaction of the caller's. */
export const markSite = (connection: Connection, { state, place }: Omit<SiteCopy, 'at'>): Promise<number> =>
  connection.run(MARK, [state, place])

export const unmarkSite = (connection: Connection): Promise<number> => connection.run('DELETE FROM site_copy')
