import { parentPort, workerData } from 'node:worker_threads'
import { openCheckpointConnection, writeAheadLogOf } from './database.ts'
import { failureOf, type StoreFailure } from './failure.ts'

/** The answer to each request for a checkpoint: done, or why not. */
export type FromCheckpoints = { readonly failed: StoreFailure | null }

function answer(path: string, port: NonNullable<typeof parentPort>): void {
  const db = openCheckpointConnection(path)
  const log = writeAheadLogOf(db)
  port.on('message', () => {
    let failed: StoreFailure | null = null
    try {
      log.checkpoint()
    } catch (error) {
      failed = failureOf(error, db)
    }
    port.postMessage({ failed } satisfies FromCheckpoints)
  })
}

if (parentPort === null) throw new Error('checkpoints are made on a thread of the writer')
answer(workerData as string, parentPort)
