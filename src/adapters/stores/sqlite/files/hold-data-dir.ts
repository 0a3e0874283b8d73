import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isUsable, prepareFile } from './data-dir.ts'
import { whyUnusable } from './unusable.ts'

const MAX_TRIES = 10
/** As long as a process that only checks for a holder may keep the lock. */
const TIMEOUT_MS = 250

/**
 * Makes this process the only service on `dataDir`, until it calls the returned function or ends in any way: the kernel
 * releases the lock of a killed process. Rejects with a sentence for the operator if another process has the lock.
 */
export const holdDataDir = async (dataDir: string): Promise<() => void> =>
  hold(
    prepareFile(dataDir, 'tocsin.lock'),
    (who) => `${who} is already running Tocsin on ${dataDir}; stop it first, or choose another dataDir`,
  )

/** Makes this process the only one that makes or checks a backup with `dataDir`, in the same way. */
export const holdBackup = async (dataDir: string): Promise<() => void> =>
  hold(
    prepareFile(dataDir, 'backup.lock'),
    (who) => `${who} is making or checking a backup of ${dataDir}; try again when it has ended`,
  )

/** The holder keeps the write lock of a small separate database, in which others can still read its process id. */
async function hold(file: string, taken: (who: string) => string): Promise<() => void> {
  const lock = new Database(file, { timeout: TIMEOUT_MS })
  try {
    // No journal may outlive its process: nothing in here is worth more than the lock.
    lock.pragma('journal_mode = MEMORY')
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      take(lock)
      lock.exec('CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL)')
      lock.prepare('INSERT OR REPLACE INTO holder (one, pid) VALUES (1, ?)').run(process.pid)
      lock.exec('COMMIT')
      // Between the commit and this lock, another process may have come and gone.
      take(lock)
      if (holderOf(lock) === process.pid) return () => lock.close()
      lock.exec('ROLLBACK')
    }
    throw new Error('too many processes are trying to lock it')
  } catch (error) {
    const holder = holderOf(lock)
    lock.close()
    if (isDamaged(error))
      throw new Error(`${lock.name} is damaged; delete it: it only records which process runs Tocsin here`)
    if (!isBusy(error)) throw new Error(whyUnusable(error, lock.name), { cause: error })
    const who = holder === null ? 'another process' : `another process (${holder})`
    throw new Error(taken(who))
  }
}

/**
 * Whether a process runs Tocsin on `dataDir`, and which one; null if none does. Holds the lock for a moment, which a
 * start that comes meanwhile waits for, and changes nothing. Throws if this user may not look.
 */
export function holderNow(dataDir: string): { readonly pid: number | null } | null {
  const path = join(dataDir, 'tocsin.lock')
  if (!isUsable(path)) return null
  const lock = new Database(path, { fileMustExist: true, timeout: 0 })
  try {
    lock.pragma('journal_mode = MEMORY')
    take(lock)
    lock.exec('ROLLBACK')
    return null
  } catch (error) {
    if (isBusy(error)) return { pid: holderOf(lock) }
    throw error
  } finally {
    lock.close()
  }
}

const take = (lock: Database.Database): void => void lock.exec('BEGIN IMMEDIATE')

const isDamaged = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

function holderOf(lock: Database.Database): number | null {
  try {
    return lock.prepare<[], number>('SELECT pid FROM holder').pluck().get() ?? null
  } catch {
    // Not written yet, or just being written.
    return null
  }
}
