import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { SqliteDatabase } from '../engine/database.ts'
import { newestVersion, versionOf } from '../engine/migrate.ts'

/**
 * Describes the first flaw of the file at `path` as a copy of our database, in a sentence for the operator; null if it
 * is sound.
 */
export function flawOf(path: string): string | null {
  if (!existsSync(path)) return `file not found: ${path}`
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0) {
    return `${path} has a database log (WAL) next to it that is not part of it; use a file made by tocsin backup`
  }
  let db: SqliteDatabase | null = null
  try {
    db = new Database(path, { readonly: true, fileMustExist: true })
    const [first] = db.pragma('integrity_check(1)') as { integrity_check: string }[]
    if (first?.integrity_check !== 'ok') return `${path} is damaged (${first?.integrity_check})`
    const version = versionOf(db)
    const ours = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tracking_tokens'").get() !== undefined
    if (version === 0 || !ours) return `${path} is not a Tocsin database`
    if (version <= newestVersion()) return null
    return `${path} was written by a newer version of Tocsin (its schema is version ${version}, this one supports up to ${newestVersion()}); update Tocsin first`
  } catch (error) {
    return `${path} is damaged or not a database (${error instanceof Error ? error.message : String(error)})`
  } finally {
    db?.close()
  }
}

/** Syncs the file or directory `path` to disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Hard-links the file under a second name, or copies it if the file system has no hard links. `link`: as in `node:fs`.
 */
export function keepAs(path: string, kept: string, link = linkSync): void {
  try {
    link(path, kept)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    copyFileSync(path, kept, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    syncToDisk(kept)
  }
}
