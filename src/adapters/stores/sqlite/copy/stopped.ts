import { join } from 'node:path'
import { openWriter, type SqliteDatabase } from '../engine/database.ts'
import { migrate } from '../engine/migrate.ts'
import { isUsable } from '../files/data-dir.ts'
import { holdDataDir } from '../files/hold-data-dir.ts'

/**
 * Calls `work` with the database of `dataDir`, brought up to date, while no service runs on it. Rejects with a sentence
 * for the operator if there is none, or one that is in use.
 */
export async function onStopped<T>(dataDir: string, work: (db: SqliteDatabase) => T): Promise<T> {
  const path = join(dataDir, 'tocsin.db')
  if (!isUsable(path)) throw new Error(`there is no database in ${dataDir}`)
  const release = await holdDataDir(dataDir)
  try {
    const db = await openWriter(path)
    try {
      migrate(db)
      return work(db)
    } finally {
      db.close()
    }
  } finally {
    release()
  }
}
