import { threadOf } from '../../../../lib/installation.ts'
import type { FromCheckpoints } from './checkpoint-thread.ts'
import type { StoreFailure } from './failure.ts'
import { threadOnDemand } from './thread-on-demand.ts'

/** Runs checkpoints in parallel with the writer. */
export type BackgroundCheckpoints = {
  /** Makes one and calls `done` with its error, or null. One at a time. */
  run(done: (failed: StoreFailure | null) => void): void
  /** Calls no listener from now on. */
  close(): Promise<void>
}

const THREAD = threadOf('adapters/stores/sqlite/engine/checkpoint-thread')

const lost = (error: Error): FromCheckpoints => ({
  failed: { kind: 'fault', message: `could not checkpoint: ${error.message}`, fatal: false },
})

/**
 * Checkpoints the database at `path` on a separate thread, so that commits need not wait for them. A quiet site never
 * needs one.
 */
export function checkpointsInBackground(path: string): BackgroundCheckpoints {
  const thread = threadOnDemand<FromCheckpoints>(THREAD, 'store checkpoints', path)
  let isClosed = false
  return {
    run(done) {
      const answered = thread.ask().catch(lost)
      void answered.then(({ failed }) => {
        if (!isClosed) done(failed)
      })
    },
    close() {
      isClosed = true
      return thread.close()
    },
  }
}
