import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteSource } from '../../shared/copy-site.ts'
import type { SiteRow } from '../../shared/site-tables.ts'
import { openWriter } from '../engine/database.ts'
import { markLeft, refuseDeparted, unmark } from '../engine/departure.ts'
import { migrate } from '../engine/migrate.ts'
import { holdDataDir } from '../files/hold-data-dir.ts'
import { refuseDamaged } from '../files/unusable.ts'
import { siteRowsOf } from './site-rows.ts'

/**
 * Opens the database of `dataDir` to be copied. The service must be stopped, and no command can write meanwhile:
 * it would be lost. `keys`: the rows of the shared keys. `now`: epoch ms. Rejects with a sentence for the operator.
 */
export async function openSource(
  dataDir: string,
  { keys, now }: { readonly keys: readonly SiteRow[]; readonly now: number },
): Promise<SiteSource> {
  if (lstatSync(join(dataDir, 'tocsin.db'), { throwIfNoEntry: false }) === undefined) {
    throw new Error(`there is no database in ${dataDir}`)
  }
  const release = await holdDataDir(dataDir)
  try {
    refuseDamaged(dataDir)
    const db = await openWriter(join(dataDir, 'tocsin.db'))
    try {
      migrate(db)
      db.exec('BEGIN IMMEDIATE')
      refuseDeparted(db)
    } catch (error) {
      db.close()
      throw error
    }
    return {
      place: dataDir,
      ...siteRowsOf(db, () => keys),
      async leave(place) {
        markLeft(db, place, now)
        db.exec('COMMIT')
        return async () => unmark(db)
      },
      async close() {
        db.close()
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}
