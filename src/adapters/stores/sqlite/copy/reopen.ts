import { join } from 'node:path'
import { openWriter } from '../engine/database.ts'
import { departureOf, unmark } from '../engine/departure.ts'
import { migrate } from '../engine/migrate.ts'
import { isUsable } from '../files/data-dir.ts'
import { holdDataDir } from '../files/hold-data-dir.ts'

/** Makes a site again of a database that was copied elsewhere. Resolves with the place; null: it is still a site. */
export async function reopen(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'tocsin.db')
  if (!isUsable(path)) throw new Error(`there is no database in ${dataDir}`)
  const release = await holdDataDir(dataDir)
  try {
    const db = await openWriter(path)
    try {
      migrate(db)
      const departure = departureOf(db)
      unmark(db)
      return departure?.place ?? null
    } finally {
      db.close()
    }
  } finally {
    release()
  }
}
