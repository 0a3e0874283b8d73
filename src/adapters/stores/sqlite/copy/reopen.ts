import { departureOf, unmark } from '../engine/departure.ts'
import { onStopped } from './stopped.ts'

/** Makes a site again of a database that was copied elsewhere. Resolves with the place; null: it is still a site. */
export const reopen = (dataDir: string): Promise<string | null> =>
  onStopped(dataDir, (db) => {
    const departure = departureOf(db)
    unmark(db)
    return departure?.place ?? null
  })
