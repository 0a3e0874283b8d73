import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import { type FigureRow, figuresFrom } from '../../shared/figures.ts'
import { openReader } from '../engine/database.ts'
import { reserveFileOf } from '../files/disk-reserve.ts'
import type { AllFigures, FromFigures } from './store-files.ts'

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Computes the figures of the database at `path` on request. */
function answer(path: string, port: NonNullable<typeof parentPort>): void {
  const db = openReader(path)
  const counted = db.prepare<[], FigureRow>(
    `SELECT app_id AS appId, 0 AS deadLetters,
       count(*) FILTER (WHERE record ->> '$.state.status' = 'active') AS active,
       count(*) FILTER (WHERE record ->> '$.state.status' = 'acknowledged') AS acknowledged,
       count(*) FILTER (WHERE record ->> '$.held') AS held
     FROM incidents WHERE open = 1 AND app_id <> '${CANARY_APP_ID}' GROUP BY app_id
     UNION ALL
     SELECT app_id, sum(letters), 0, 0, 0
     FROM (SELECT user_id, count(*) AS letters FROM dead_letters GROUP BY user_id) LEFT JOIN users ON users.id = user_id
     GROUP BY app_id`,
  )

  const all = (): AllFigures => {
    const { bavail, bsize } = statfsSync(dirname(path))
    return {
      figures: figuresFrom(counted.all()),
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
