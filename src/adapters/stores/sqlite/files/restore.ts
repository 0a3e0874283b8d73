import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { decide } from '../../../../core/incident/decide.ts'
import { type Incident, isOpen } from '../../../../core/incident/incident.ts'
import { nextActionAt } from '../../../../core/incident/next-action.ts'
import { HEARD_OF_MS } from '../../shared/limits.ts'
import { openWriter, type SqliteDatabase } from '../engine/database.ts'
import { migrate } from '../engine/migrate.ts'
import { incidentOf } from '../incidents/incident-row.ts'
import { incidentSaver, SAVED_COLUMNS, type StoredRow } from '../incidents/save-incident.ts'
import { flawOf, keepAs, syncToDisk } from './copy-file.ts'
import { isUsable } from './data-dir.ts'
import { logsOf, removeUnfinished, removeWithLog, STAGED_RESTORE } from './unfinished.ts'

export type Restored = {
  /** The place of the previous database; null if there was none. */
  readonly keptAs: string | null
  /** The open incidents of the file. Nothing is sent for them until they are resumed (keeping.md#restore). */
  readonly held: readonly Incident[]
}

/** Writes a new file of the service's own, of content that comes in pieces. */
export const writeNew = (path: string, content: AsyncIterable<Uint8Array>): Promise<void> =>
  pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }))

/**
 * Replaces the database of `dataDir`, whose lock the caller holds, with the copy that `fill` writes to a new file.
 * Changes nothing unless the copy is sound. In the copy, skips attempts overdue by more than an hour and holds open
 * incidents. Throws with a sentence for the operator. `now`: epoch ms. `beside`: what else takes its place, right
 * before the database does; if it is cut off there, the same restore can be repeated.
 */
export async function restoreInto(
  dataDir: string,
  { fill, beside }: { readonly fill: (staged: string) => Promise<void>; readonly beside?: () => Promise<void> },
  now: number,
): Promise<Restored> {
  const place = join(dataDir, 'tocsin.db')
  removeUnfinished(dataDir)
  const staged = join(dataDir, STAGED_RESTORE)
  try {
    await fill(staged)
    const flaw = flawOf(staged)
    if (flaw !== null) throw new Error(flaw.replaceAll(staged, 'the file'))
    const held = await onDatabase(staged, (db) => {
      migrate(db)
      return db.transaction(() => holdOpen(db, now)).immediate()
    })
    syncToDisk(staged)
    const keptAs = isUsable(place) ? keepAside(place, now) : null
    await beside?.()
    for (const log of logsOf(place)) rmSync(log, { force: true })
    renameSync(staged, place)
    syncToDisk(dataDir)
    return { keptAs, held }
  } finally {
    removeWithLog(staged)
  }
}

/** Resolves once the log is copied into the database file and removed. */
async function onDatabase<T>(path: string, work: (db: SqliteDatabase) => T): Promise<T> {
  const db = await openWriter(path)
  try {
    const result = work(db)
    db.pragma('wal_checkpoint(TRUNCATE)')
    return result
  } finally {
    db.close()
  }
}

/** Holds the open incidents of a database restored to an earlier moment, in a transaction of the caller's. */
export function holdOpen(db: SqliteDatabase, now: number): readonly Incident[] {
  const concerned = db
    .prepare<[number], StoredRow>(
      `SELECT ${SAVED_COLUMNS} FROM incidents WHERE open = 1 OR next_action_at IS NOT NULL
         OR closed_at > (SELECT max(closed_at) FROM incidents) - ? ORDER BY number`,
    )
    .all(HEARD_OF_MS)
  const { update } = incidentSaver(db)
  const restored = concerned.flatMap((row) => {
    const before = incidentOf(row)
    const { incident } = decide({ incident: before }, { type: 'restore', now })
    if (incident === null) return []
    update(row, { before, incident, nextAt: nextActionAt(incident) })
    return [incident]
  })
  // Notices for a service that has long since announced them.
  db.exec('DELETE FROM notices')
  // Sessions that have been ended, and links that have been used, since then.
  db.exec(
    'DELETE FROM operator_sessions; DELETE FROM operator_invitations; DELETE FROM setup_links; DELETE FROM app_invitations',
  )
  return restored.filter(isOpen)
}

/**
 * Gives the database a second, dated name. The first name stays in place all the time, so that a service started after
 * a crash in the middle finds the old database or the new one, never none.
 */
function keepAside(place: string, now: number): string {
  emptyLog(place)
  const kept = place.replace(/\.db$/, `-${new Date(now).toISOString().replace(/[-:]/g, '').replace('.', '-')}.db`)
  keepAs(place, kept)
  for (const ending of ['-journal', '-wal']) {
    if (existsSync(`${place}${ending}`)) keepAs(`${place}${ending}`, `${kept}${ending}`)
  }
  return kept
}

/**
 * Copies the log into the database and deletes it. This needs exclusive access: a command that still had the database
 * open would continue with another database's log. If the database is too damaged for that, which may be why it is
 * being restored, the log stays.
 */
function emptyLog(place: string): void {
  let db: SqliteDatabase | null = null
  try {
    db = new Database(place)
    db.pragma('journal_mode = DELETE')
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) return
    throw new Error('another tocsin command has the database open; wait until it ends, then restore again', {
      cause: error,
    })
  } finally {
    db?.close()
  }
}
