import { threadOf } from '../../../../lib/installation.ts'
import { StoreError } from '../../../../ports/store.ts'
import { threadOnDemand } from '../engine/thread-on-demand.ts'
import type { AllFigures, FromFigures } from './store-files.ts'

const THREAD = threadOf('adapters/stores/sqlite/upkeep/figures-thread')

/**
 * Computes the figures of the database at `path` on a thread of its own, because counting reads whole tables and the
 * disk may hang. Requests made in the meantime share one answer.
 */
export function figuresOf(path: string): { ask(): Promise<AllFigures>; close(): Promise<void> } {
  const thread = threadOnDemand<FromFigures>(THREAD, 'store figures', path)
  let isClosed = false
  return {
    async ask() {
      if (isClosed) throw new StoreError('the store is closed', 'closed')
      const said = await thread.ask().catch((error: Error) => ({ failed: error.message }))
      if ('failed' in said) throw new StoreError(`could not compute the figures: ${said.failed}`, 'fault')
      return said
    },
    close() {
      isClosed = true
      return thread.close()
    },
  }
}
