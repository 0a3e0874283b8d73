import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'

export type SqliteDatabase = Database.Database

/**
 * The writer waits this long for another process; it has a thread of its own, so nobody waits with it but
 * what it is to write.
 */
const WRITER_PATIENCE_MS = 60_000
/**
 * Reads are on the main thread. In WAL mode they wait for nobody, save for the moment in which a crashed
 * process's log is recovered.
 */
const READER_PATIENCE_MS = 500
const WAL_RETRY_MS = 20
/** Negative: KiB. Enough for the newest telemetry page of a few thousand users. */
const WRITER_CACHE = -32_768
/** What a burst left of the log file is given back. */
export const LOG_SIZE_LIMIT = 64 * 1024 * 1024

/** The file of the log is cut to this with the first commit after it was copied. */
export function limitLogSize(db: SqliteDatabase, bytes: number): void {
  db.pragma(`journal_size_limit = ${bytes}`)
}

/** The one connection that writes. `synchronous = FULL`: a commit has reached the disk when it returns. */
export async function openWriter(path: string): Promise<SqliteDatabase> {
  const db = new Database(path, { timeout: WRITER_PATIENCE_MS })
  try {
    await enterWal(db)
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // What is deleted is overwritten: an erased user must not be readable in the free space of the file.
    db.pragma('secure_delete = ON')
    // What a write may have to undo: in a file of its own it would need space elsewhere, on a disk that may be full.
    db.pragma('temp_store = MEMORY')
    db.pragma(`cache_size = ${WRITER_CACHE}`)
    limitLogSize(db, LOG_SIZE_LIMIT)
    // SQLite keeps silent about a checkpoint of its own that failed, and a failed fsync must not be
    // passed over: see `logOf`.
    db.pragma('wal_autocheckpoint = 0')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Two processes that open a new file at once: SQLite does not wait for the other one here. */
async function enterWal(db: SqliteDatabase): Promise<void> {
  const giveUpAt = performance.now() + WRITER_PATIENCE_MS
  for (;;) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > giveUpAt) throw error
      await pause(WAL_RETRY_MS)
    }
  }
}

/** A connection that only reads. The database has to be there, in WAL mode and migrated. */
export function openReader(path: string): SqliteDatabase {
  return new Database(path, { readonly: true, fileMustExist: true, timeout: READER_PATIENCE_MS })
}

/** The log: what is committed and, in part, not yet in the database file. */
export type Log = {
  /** In pages: what it holds since it was last begun anew, and what of that is not copied yet. */
  state(): { readonly pages: number; readonly uncopied: number }
  /**
   * Copies them into the database file, as far as no reader still needs the log. Throws when the copy
   * did not reach the disk.
   */
  copy(): void
}

export function logOf(db: SqliteDatabase): Log {
  const look = db.prepare<[], { log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
  const copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  return {
    state() {
      const { log = 0, checkpointed = 0 } = look.get() ?? {}
      return { pages: log, uncopied: log - checkpointed }
    },
    copy: () => void copy.get(),
  }
}
