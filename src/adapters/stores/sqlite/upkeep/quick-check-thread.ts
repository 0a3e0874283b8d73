import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../engine/database.ts'
import { firstFlaw } from '../files/first-flaw.ts'
import type { FromQuickCheck } from './quick-check.ts'

/** A second of reading on a small machine. Larger databases are checked in full by each backup. */
const WHOLE_BYTES = 256 * 1024 * 1024

function answer(path: string, port: NonNullable<typeof parentPort>): void {
  port.on('message', () => port.postMessage(check(path)))
}

function check(path: string): FromQuickCheck {
  try {
    const db = openReader(path)
    try {
      const checked = statSync(path).size <= WHOLE_BYTES ? 'whole' : 'alarms'
      return { checked, flaw: firstFlaw(db, checked) }
    } finally {
      db.close()
    }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

if (parentPort === null) throw new Error('the database is checked on a thread of its own')
answer(workerData as string, parentPort)
