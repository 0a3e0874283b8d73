import { failureOfKind, toStoreError } from '../engine/failure.ts'
import type { CommitQueue } from './commit-queue.ts'

/** The part of a queue that a store uses. */
export type WriteQueue = Pick<CommitQueue, 'write' | 'append' | 'isCongested' | 'trouble' | 'close'>

/**
 * A queue that calls `start` at the first write. If the start fails, the writes waiting for it are refused and the next
 * write tries again.
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
    append(row, settle) {
      if (isClosed) return settle(toStoreError(failureOfKind('closed')))
      starting ??= started()
      starting.then((begun) => begun.append(row, settle), settle)
    },
    isCongested: (sender) => queue?.isCongested(sender) ?? false,
    get trouble() {
      return queue?.trouble ?? null
    },
    /** Writes pending during the start are committed first. */
    async close() {
      isClosed = true
      await (await starting?.catch(() => null))?.close()
    },
  }
}
