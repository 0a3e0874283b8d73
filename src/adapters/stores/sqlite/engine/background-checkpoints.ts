import { Worker } from 'node:worker_threads'
import type { FromCheckpoints } from './checkpoint-thread.ts'
import type { StoreFailure } from './failure.ts'

/** Makes checkpoints beside the writer. */
export type BackgroundCheckpoints = {
  /** Makes one and calls `done` with what went wrong, or null. One at a time. */
  run(done: (failed: StoreFailure | null) => void): void
  close(): Promise<unknown>
}

const THREAD = new URL('./checkpoint-thread.ts', import.meta.url)

/**
 * Checkpoints the database at `path` on a thread of its own, so that commits need not wait for them. The thread starts
 * with the first checkpoint, which a quiet site never needs, and again after it has died.
 */
export function checkpointsInBackground(path: string): BackgroundCheckpoints {
  let thread: Worker | null = null
  let pending: ((failed: StoreFailure | null) => void) | null = null

  const settle = (failed: StoreFailure | null): void => {
    const done = pending
    pending = null
    done?.(failed)
  }

  const start = (): Worker => {
    const worker = new Worker(THREAD, { workerData: path, name: 'store checkpoints', execArgv: [] })
    worker.unref()
    worker.on('message', ({ failed }: FromCheckpoints) => settle(failed))
    worker.on('error', (error) => lost(error.message))
    worker.on('exit', () => lost('its thread exited'))
    return worker

    function lost(why: string): void {
      if (thread !== worker) return
      thread = null
      settle({ kind: 'fault', message: `could not checkpoint: ${why}`, fatal: false })
    }
  }

  return {
    run(done) {
      pending = done
      thread ??= start()
      thread.postMessage('checkpoint')
    },
    async close() {
      pending = null
      const last = thread
      thread = null
      await last?.terminate()
    },
  }
}
