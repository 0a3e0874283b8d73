import Database from 'better-sqlite3'

/** A lock that another process holds delays a write; only one that is held this long fails it. */
const BUSY_MS = 60_000
const PAGES_PER_CHECKPOINT = 4000

/** A connection to the file: the writer's, or a reader's that cannot write. Acknowledged means on disk: `synchronous=FULL`. */
export function connect(file: string, role: 'writer' | 'reader'): Database.Database {
  const db = new Database(file, { timeout: BUSY_MS, readonly: role === 'reader' })
  if (role === 'writer') {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma(`wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`)
  }
  db.pragma('foreign_keys = ON')
  db.pragma('cache_size = -32768')
  return db
}
