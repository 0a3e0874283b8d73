import { createReadStream, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { SqliteDatabase } from '../engine/database.ts'

/** No write can run while the log is emptied: hold it for at most this long, with pauses in between. */
const HOLD_MS = 100
const PAUSE_MS = 200
/** A backup of a large database reads for this long. */
const TIMEOUT_MS = 60_000
/** No write can run while the file is rebuilt, about 6 ms per MiB; an alert must not wait more than a few seconds. */
const MAX_REBUILT_BYTES = 256 * 1024 * 1024

/**
 * Copies the log into the database file and empties it, then makes sure that `text` (the id of something deleted) is
 * nowhere in the file. SQLite may leave a copy behind when it moves content within a page; only rebuilding the file
 * removes that. Works beside a running service.
 */
export async function leaveNoTrace(
  path: string,
  text: string,
  timeoutMs = TIMEOUT_MS,
): Promise<'none' | 'in_use' | 'left'> {
  const db = new Database(path, { fileMustExist: true, timeout: HOLD_MS })
  try {
    db.pragma('synchronous = FULL')
    if (!(await emptyLog(db, timeoutMs))) return 'in_use'
    if (!(await holds(path, text))) return 'none'
    if (statSync(path).size > MAX_REBUILT_BYTES) return 'left'
    db.exec('VACUUM')
    if (!(await emptyLog(db, timeoutMs))) return 'in_use'
    return (await holds(path, text)) ? 'left' : 'none'
  } finally {
    db.close()
  }
}

/** False if a process kept reading pages that only the log has. */
async function emptyLog(db: SqliteDatabase, timeoutMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    const [{ busy } = { busy: 1 }] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    if (busy === 0) return true
    if (performance.now() > giveUpAt) return false
    await pause(PAUSE_MS)
  }
}

async function holds(path: string, text: string): Promise<boolean> {
  const wanted = Buffer.from(text)
  let before = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = Buffer.concat([before, chunk as Buffer])
    if (bytes.includes(wanted)) return true
    before = bytes.subarray(Math.max(0, bytes.length - wanted.length + 1))
  }
  return false
}
