import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'

/**
 * SQLite replans a statement on each binding, at ten times the cost of a read, if it thinks that the value of a
 * parameter may matter to the plan (`ORDER BY`, joins, `LIMIT`). It does not look at the value of a parameter behind a
 * plus sign, and indexes serve both. So a statement that runs for each message, position or attempt says `+?`.
 */
export type SqliteDatabase = Database.Database

/** The writer waits this long for a lock of another process. It has its own thread, so only its own writes wait. */
const WRITER_TIMEOUT_MS = 60_000
/**
 * Reads run on the main thread. In WAL mode they never wait, except while the log of a crashed process is recovered.
 */
const READER_TIMEOUT_MS = 500
const WAL_RETRY_MS = 20
/** Negative: KiB. Enough for the newest telemetry page of a few thousand users. */
const WRITER_CACHE = -32_768
/** The log file is cut back to this size after a burst. */
export const LOG_SIZE_LIMIT = 64 * 1024 * 1024

/** SQLite cuts the log file to this size with the first commit after a checkpoint. */
export function limitLogSize(db: SqliteDatabase, bytes: number): void {
  db.pragma(`journal_size_limit = ${bytes}`)
}

/** The only connection that writes. `synchronous = FULL`: when a commit returns, it is on disk. */
export async function openWriter(path: string): Promise<SqliteDatabase> {
  const db = new Database(path, { timeout: WRITER_TIMEOUT_MS })
  try {
    await enterWal(db)
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // Deleted content is overwritten: an erased user must not be readable in the free space of the file.
    db.pragma('secure_delete = ON')
    // Statement rollback data: a separate file would need space elsewhere, on a disk that may be full.
    db.pragma('temp_store = MEMORY')
    db.pragma(`cache_size = ${WRITER_CACHE}`)
    limitLogSize(db, LOG_SIZE_LIMIT)
    // SQLite ignores a failure of its automatic checkpoint, but a failed fsync must not go unnoticed:
    // see `writeAheadLogOf`.
    db.pragma('wal_autocheckpoint = 0')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** For two processes that open a new file at the same time: here SQLite itself does not wait for the other. */
async function enterWal(db: SqliteDatabase): Promise<void> {
  const giveUpAt = performance.now() + WRITER_TIMEOUT_MS
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

/**
 * A connection for checkpoints only. `synchronous = FULL`: copied pages are on disk before the log starts again.
 */
export function openCheckpointConnection(path: string): SqliteDatabase {
  const db = new Database(path, { fileMustExist: true, timeout: 0 })
  db.pragma('synchronous = FULL')
  db.pragma('wal_autocheckpoint = 0')
  return db
}

/** A read-only connection. The database must exist, be in WAL mode and be migrated. */
export function openReader(path: string): SqliteDatabase {
  return new Database(path, { readonly: true, fileMustExist: true, timeout: READER_TIMEOUT_MS })
}

/** The write-ahead log (WAL): committed pages, some of which are not in the database file yet. */
export type WriteAheadLog = {
  /** Pages in the log since it was last restarted, and how many of them are not copied yet. */
  state(): { readonly pages: number; readonly uncopied: number }
  /**
   * Copies them into the database file (a passive checkpoint), as far as no reader still needs the log. Returns false,
   * with nothing done, while another connection does that. Throws if the copy did not reach the disk.
   */
  checkpoint(): boolean
}

export function writeAheadLogOf(db: SqliteDatabase): WriteAheadLog {
  const look = db.prepare<[], { log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
  const checkpoint = db.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(PASSIVE)')
  return {
    state() {
      const { log = 0, checkpointed = 0 } = look.get() ?? {}
      return { pages: log, uncopied: log - checkpointed }
    },
    checkpoint: () => checkpoint.get()?.busy === 0,
  }
}
