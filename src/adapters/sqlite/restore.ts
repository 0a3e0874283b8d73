import { createReadStream, createWriteStream, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { decide } from '../../core/decide.ts'
import { type Incident, isOpen } from '../../core/incident.ts'
import { type Connection, openWriter } from './connection.ts'
import { flawOf, flush } from './copy-file.ts'
import { type IncidentRow, incidentOf } from './incident-row.ts'
import { migrate } from './migrate.ts'
import { incidentWrites } from './save-incident.ts'

export type Restored = {
  /** Where the database that was there before is kept; null if there was none. */
  readonly keptAs: string | null
  /** The incidents that are open in the file. Nothing is sent for them until they are resumed. Decisions 7. */
  readonly held: readonly Incident[]
}

/**
 * Puts the copy that `source` (an open file) holds in the place of the database of `dataDir`, which the caller holds. Nothing is changed
 * unless the copy is sound: then attempts overdue by more than an hour are skipped and open incidents are held. Throws with a sentence for the
 * operator. `now`: epoch ms.
 */
export async function restoreInto(dataDir: string, source: number, now: number): Promise<Restored> {
  const place = join(dataDir, 'tocsin.db')
  const staged = join(dataDir, 'tocsin.db.restoring')
  removeWithLog(staged)
  try {
    await pipeline(createReadStream('', { fd: source, autoClose: false }), createWriteStream(staged, { mode: 0o600 }))
    const flaw = flawOf(staged)
    if (flaw !== null) throw new Error(flaw.replaceAll(staged, 'the file'))
    const held = await onDatabase(staged, (db) => {
      migrate(db)
      return db.transaction(() => holdOpen(db, now)).immediate()
    })
    flush(staged)
    const keptAs = existsSync(place) ? await keepAside(place, now) : null
    for (const log of logsOf(place)) rmSync(log, { force: true })
    renameSync(staged, place)
    flush(dataDir)
    return { keptAs, held }
  } finally {
    removeWithLog(staged)
  }
}

const logsOf = (path: string): readonly string[] => [`${path}-wal`, `${path}-shm`]

function removeWithLog(path: string): void {
  for (const file of [path, ...logsOf(path)]) rmSync(file, { force: true })
}

/** The log is in the database file when this resolves, and gone with the connection. */
async function onDatabase<T>(path: string, work: (db: Connection) => T): Promise<T> {
  const db = await openWriter(path)
  try {
    const result = work(db)
    db.pragma('wal_checkpoint(TRUNCATE)')
    return result
  } finally {
    db.close()
  }
}

function holdOpen(db: Connection, now: number): readonly Incident[] {
  const concerned = db
    .prepare<[], IncidentRow>(
      'SELECT number, record FROM incidents WHERE open = 1 OR next_action_at IS NOT NULL ORDER BY number',
    )
    .all()
  const { update } = incidentWrites(db)
  const restored = concerned.flatMap(({ number, record }) => {
    const before = incidentOf({ record })
    const { incident } = decide({ incident: before, site: null, earlier: null }, { type: 'restore', now })
    if (incident === null) return []
    update(number, before, incident)
    return [incident]
  })
  // Left for a service that announced them long ago.
  db.exec('DELETE FROM notices')
  return restored.filter(isOpen)
}

/**
 * Gives the database a second, dated name. The first name is there all the time, so that a service started after a crash in the middle finds
 * the old database or the new one, never none.
 */
async function keepAside(place: string, now: number): Promise<string> {
  try {
    await onDatabase(place, () => {})
  } catch {
    // Too damaged to be opened may be the very reason for the restore: its log is kept beside it.
  }
  const kept = place.replace(/\.db$/, `-${new Date(now).toISOString().replace(/[-:]/g, '').replace('.', '-')}.db`)
  linkSync(place, kept)
  const log = `${place}-wal`
  if (existsSync(log)) linkSync(log, `${kept}-wal`)
  return kept
}
