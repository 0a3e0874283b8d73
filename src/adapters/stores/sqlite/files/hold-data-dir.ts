import Database from 'better-sqlite3'
import { whyUnusable } from '../engine/unusable.ts'
import { prepareFile } from './data-dir.ts'

const MAX_TRIES = 10
/** As long as somebody who only looks who holds it may be in the way. */
const PATIENCE_MS = 250

/**
 * Makes this process the only service on `dataDir`, until the returned function is called or the process ends in
 * whatever way: the kernel releases the lock of a process that was killed. Rejects with a sentence for the operator
 * when another one has it.
 *
 * The holder keeps the write lock of a small database of its own, in which its process id can still be read.
 */
export async function holdDataDir(dataDir: string): Promise<() => void> {
  const lock = new Database(prepareFile(dataDir, 'tocsin.lock'), { timeout: PATIENCE_MS })
  try {
    // Never a journal that outlives its process: nothing in here is worth more than the lock.
    lock.pragma('journal_mode = MEMORY')
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      take(lock)
      lock.exec('CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL)')
      lock.prepare('INSERT OR REPLACE INTO holder (one, pid) VALUES (1, ?)').run(process.pid)
      lock.exec('COMMIT')
      // Between the commit and this lock somebody else may have come first, and gone again.
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
    throw new Error(`${who} is already running Tocsin on ${dataDir}; stop it first, or choose another dataDir`)
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
