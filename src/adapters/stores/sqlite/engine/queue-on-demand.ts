import type { CommitQueue } from './commit-queue.ts'
import { failureOfKind, toStoreError } from './failure.ts'

/** What a store does with a queue. */
export type WriteQueue = Pick<CommitQueue, 'write' | 'isCongested' | 'trouble' | 'close'>

/**
 * A queue that `start` makes for the first write. A start that fails refuses the writes that wait for it; the next one
 * tries again.
 */
export function queueOnDemand(start: () => Promise<WriteQueue>): WriteQueue {
  let starting: Promise<WriteQueue> | null = null
  let queue: WriteQueue | null = null
  let isClosed = false

  const started = async (): Promise<WriteQueue> => {
    try {
      queue = await start()
      return queue
    } catch (error) {
      starting = null
      throw error
    }
  }

  return {
    async write(name, ...args) {
      if (isClosed) throw toStoreError(failureOfKind('closed'))
      starting ??= started()
      return (await starting).write(name, ...args)
    },
    isCongested: (sender) => queue?.isCongested(sender) ?? false,
    get trouble() {
      return queue?.trouble ?? null
    },
    /** Writes that were handed in while it was starting come first. */
    async close() {
      isClosed = true
      await (await starting?.catch(() => null))?.close()
    },
  }
}
