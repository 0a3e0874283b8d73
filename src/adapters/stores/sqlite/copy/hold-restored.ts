import { join } from 'node:path'
import type { Incident } from '../../../../core/incident/incident.ts'
import { openWriter } from '../engine/database.ts'
import { refuseLeft } from '../engine/departure.ts'
import { migrate } from '../engine/migrate.ts'
import { isUsable } from '../files/data-dir.ts'
import { holdDataDir } from '../files/hold-data-dir.ts'
import { holdOpen } from '../files/restore.ts'

/**
 * Treats the database of `dataDir` as one that was restored from an earlier moment, by a snapshot of the disk for
 * example, while no service runs on it. Resolves with its open incidents, which are held now (rules.md#restore).
 */
export async function holdRestored(dataDir: string, now: number): Promise<readonly Incident[]> {
  const path = join(dataDir, 'tocsin.db')
  if (!isUsable(path)) throw new Error(`there is no database in ${dataDir}`)
  const release = await holdDataDir(dataDir)
  try {
    const db = await openWriter(path)
    try {
      migrate(db)
      refuseLeft(db)
      return db.transaction(() => holdOpen(db, now)).immediate()
    } finally {
      db.close()
    }
  } finally {
    release()
  }
}
