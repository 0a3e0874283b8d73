import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { StoreFigures } from '../../../../ports/store.ts'
import { openReader } from '../engine/database.ts'
import { reserveFileOf } from '../files/disk-reserve.ts'
import type { AllFigures, FromFigures } from './store-files.ts'

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Computes the figures of the database at `path` on request. */
function answer(path: string, port: NonNullable<typeof parentPort>): void {
  const db = openReader(path)
  const letters = db.prepare<[], number>('SELECT count(*) FROM dead_letters').pluck()
  const open = db.prepare<[], { status: keyof StoreFigures['openIncidents']; held: number; count: number }>(
    `SELECT record ->> '$.state.status' AS status, coalesce(record ->> '$.held', 0) AS held, count(*) AS count
     FROM incidents WHERE open = 1 AND app_id <> '${CANARY_APP_ID}' GROUP BY 1, 2`,
  )

  const all = (): AllFigures => {
    const { bavail, bsize } = statfsSync(dirname(path))
    const openIncidents = { active: 0, acknowledged: 0 }
    let heldIncidents = 0
    for (const { status, held, count } of open.all()) {
      openIncidents[status] += count
      if (held === 1) heldIncidents += count
    }
    return {
      figures: { deadLetters: letters.get() ?? 0, openIncidents, heldIncidents },
      files: {
        databaseBytes: bytesOf(path),
        logBytes: bytesOf(`${path}-wal`),
        freeBytes: bavail * bsize,
        reserveBytes: bytesOf(reserveFileOf(dirname(path))),
      },
    }
  }

  port.on('message', () => {
    let said: FromFigures
    try {
      said = all()
    } catch (error) {
      said = { failed: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(said)
  })
}

if (parentPort === null) throw new Error('the figures are computed on a thread of the store')
answer(workerData as string, parentPort)
