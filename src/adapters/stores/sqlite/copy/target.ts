import { lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { StoreError } from '../../../../ports/store.ts'
import type { SiteTarget } from '../../shared/copy-site.ts'
import type { SiteRow, SiteTable } from '../../shared/site-tables.ts'
import { migrate } from '../engine/migrate.ts'
import { flawOf, syncToDisk } from '../files/copy-file.ts'
import { prepareFile } from '../files/data-dir.ts'
import { holdDataDir } from '../files/hold-data-dir.ts'
import { removeUnfinished, STAGED_COPY } from '../files/unfinished.ts'
import { columnsHere, siteRowsOf } from './site-rows.ts'

/**
 * Opens a directory without a database as the target of a copy, which is written to a file beside the one that a
 * service would open. `keep`: keeps the rows of the shared keys. `sync`: for tests. Rejects with a sentence for the
 * operator.
 */
export async function openTarget(
  dataDir: string,
  keep: (keys: readonly SiteRow[]) => Promise<void>,
  sync = syncToDisk,
): Promise<SiteTarget> {
  const final = join(dataDir, 'tocsin.db')
  if (lstatSync(final, { throwIfNoEntry: false }) !== undefined) {
    throw new Error(`there is a database in ${dataDir} already; choose another directory, or move ${final} away`)
  }
  const release = await holdDataDir(dataDir)
  removeUnfinished(dataDir)
  const staged = prepareFile(dataDir, STAGED_COPY)
  const db = new Database(staged)
  // Before it has its name, it need not survive a crash.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'temp_store = MEMORY', 'foreign_keys = ON']) {
    db.pragma(pragma)
  }
  const keys: SiteRow[] = []
  const known = new Map<string, Writer>([['shared_keys', (row) => void keys.push(row)]])
  const writer = (table: SiteTable): Writer => {
    const found = known.get(table.name) ?? writerOf(db, table)
    known.set(table.name, found)
    return found
  }
  const close = async (): Promise<void> => {
    db.close()
    removeUnfinished(dataDir)
    release()
  }
  try {
    migrate(db)
    db.exec('BEGIN')
  } catch (error) {
    await close()
    throw why(error, dataDir)
  }
  return {
    place: dataDir,
    ...siteRowsOf(db, () => keys),
    async write(table, rows) {
      try {
        const write = writer(table)
        for (const row of rows) write(row)
      } catch (error) {
        throw why(error, dataDir)
      }
    },
    async written() {
      try {
        db.exec('COMMIT')
        sync(staged)
      } catch (error) {
        throw why(error, dataDir)
      }
      const flaw = flawOf(staged)
      if (flaw !== null) throw new Error(`the copy is not usable: ${flaw}`)
    },
    async complete() {
      db.close()
      await keep(keys)
      renameSync(staged, final)
      try {
        sync(dataDir)
      } catch (error) {
        // A service would open it from now on, so the source must not come back.
        const why = error instanceof Error ? error.message : String(error)
        throw new StoreError(`${final} is complete, but a power failure may lose it (${why}): ${NEXT}`, 'unknown')
      }
    },
    close,
  }
}

const why = (error: unknown, dataDir: string): unknown =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_FULL')
    ? new Error(`the disk of ${dataDir} is full; nothing was changed`, { cause: error })
    : error

const NEXT = 'start the service there if it is still there after a restart of the machine; the source has left'

type Writer = (row: SiteRow) => void

/** Tables that are not a plain list of columns here. */
const writers: Readonly<Record<string, (db: Database.Database) => Writer>> = {
  usage(db) {
    const update = db.prepare<SiteRow>('UPDATE users SET telemetry_bytes = ?, dead_letter_bytes = ? WHERE number = ?')
    return ([number = null, ...bytes]) => void update.run([...bytes, number])
  },
  /** The relay is in a separate table here, and only the record says whether an incident is held, and its tracker. */
  incidents(db) {
    const insert = db.prepare<SiteRow>(
      `INSERT INTO incidents (number, id, app_id, user_id, open, occurred_ms, occurred_nanos, opened_at, closed_at,
         next_action_at, owner_id, major_id, drill, put_off, urgency, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const relay = db.prepare<SiteRow>('INSERT INTO relays (incident, user_id) VALUES (?, ?)')
    return (row) => {
      const [relayUserId = null, , ownerId = null, majorId = null, , ...rest] = row.slice(10)
      insert.run([...row.slice(0, 10), ownerId, majorId, ...rest])
      if (relayUserId !== null) relay.run([row[0] ?? null, relayUserId])
    }
  },
  /** SQLite has noted the highest id that is there. */
  highest_ids(db) {
    const forget = db.prepare<SiteRow>('DELETE FROM sqlite_sequence WHERE name = ?')
    const note = db.prepare<SiteRow>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
    return (row) => {
      forget.run([row[0] ?? null])
      note.run(row)
    }
  },
  clock(db) {
    const set = db.prepare<SiteRow>(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    )
    return (row) => void set.run(row)
  },
}

function writerOf(db: Database.Database, table: SiteTable): Writer {
  const own = writers[table.name]
  if (own !== undefined) return own(db)
  const values = Object.values(table.columns).map((kind) => (kind === 'bytes' ? 'unhex(?)' : '?'))
  const insert = db.prepare<SiteRow>(
    `INSERT INTO ${table.name} (${columnsHere(table).join(', ')}) VALUES (${values.join(', ')})`,
  )
  return (row) => void insert.run(row)
}
