import { join } from 'node:path'
import { openReader } from '../engine/database.ts'
import { clockReads } from './clock.ts'

/**
 * Whether the service does not trust the clock, or this cannot be known: then nothing may be deleted because of a date
 * (keeping.md#clock).
 */
export function isClockDoubted(dataDir: string): boolean {
  try {
    const db = openReader(join(dataDir, 'tocsin.db'))
    try {
      return clockReads(db).clockRecord().doubt !== null
    } finally {
      db.close()
    }
  } catch {
    return true
  }
}
