import { Worker } from 'node:worker_threads'
import { StoreError } from '../../../../ports/store.ts'
import type { AllFigures, FromFigures } from './store-files.ts'

const THREAD = new URL('./figures-thread.ts', import.meta.url)

/**
 * Computes the figures of the database at `path` on a thread of its own, because counting reads whole tables and the
 * disk may hang. The thread starts at the first request, and again after it has died. Requests made in the meantime
 * share one answer.
 */
export function figuresOf(path: string): { ask(): Promise<AllFigures>; close(): Promise<void> } {
  let thread: Worker | null = null
  let asked: PromiseWithResolvers<AllFigures> | null = null
  let isClosed = false

  const begin = (): Worker => {
    const worker = new Worker(THREAD, { workerData: path, name: 'store figures', execArgv: [] })
    worker.unref()
    worker.on('message', (said: FromFigures) => {
      const question = asked
      asked = null
      if ('figures' in said) question?.resolve(said)
      else question?.reject(new StoreError(said.failed, 'fault'))
    })
    worker.on('error', (error) => lost(error.message))
    worker.on('exit', () => lost('its thread exited'))
    return worker

    function lost(why: string): void {
      if (thread !== worker) return
      thread = null
      asked?.reject(new StoreError(`could not compute the figures: ${why}`, 'fault'))
      asked = null
    }
  }

  return {
    async ask() {
      if (isClosed) throw new StoreError('the store is closed', 'closed')
      if (asked === null) {
        asked = Promise.withResolvers()
        thread ??= begin()
        thread.postMessage('figures')
      }
      return asked.promise
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}
