import Database from 'better-sqlite3'
import type { SqliteDatabase } from '../engine/database.ts'
import { prepareFile } from './data-dir.ts'
import { firstFlaw } from './first-flaw.ts'

/**
 * Explains an SQLite error on opening a file, and what the operator can do about it. Other errors keep their own
 * message.
 */
export function whyUnusable(error: unknown, path: string): string {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Database.SqliteError)) return message
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return damaged(path, message)
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(error.code)) {
    return `${path} could not be opened for writing (${message}); check its owner and mode, and whether the disk is mounted read-only`
  }
  if (/^SQLITE_FULL/.test(error.code)) return `${path} could not be opened: the disk is full; free up space first`
  return `${path} could not be opened: ${message} (${error.code})`
}

const damaged = (path: string, what: string): string =>
  `${path} is damaged (${what}); restore a backup with: tocsin restore FILE`

/**
 * Refuses a database whose damage would only show at the next SOS: reads every page that alarm decisions need. The
 * histories would take 20 s per GB on a cold disk, during which the service would receive no alarm. Throws with a
 * sentence for the operator. A database that does not exist yet passes.
 */
export function refuseDamaged(dataDir: string): void {
  const path = prepareFile(dataDir, 'tocsin.db')
  let db: SqliteDatabase | null = null
  try {
    db = new Database(path)
    const flaw = firstFlaw(db, 'alarms')
    if (flaw !== null) throw new Error(damaged(path, flaw))
  } catch (error) {
    throw new Error(whyUnusable(error, path), { cause: error })
  } finally {
    db?.close()
  }
}
