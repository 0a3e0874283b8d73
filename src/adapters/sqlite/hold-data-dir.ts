import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * Holds `dataDir` for this process, until the returned function is called or the process ends in whatever way: the lock is the kernel's.
 * Rejects with a sentence when another service holds it.
 */
export async function holdDataDir(dataDir: string): Promise<() => void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = new Database(join(dataDir, 'service.lock'), { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new Error(`another Tocsin is running on ${dataDir}; stop it first, or give this one a dataDir of its own`)
  }
  return () => lock.close()
}
