import { Session } from 'node:inspector/promises'
import { SECOND } from './durations.ts'

/**
 * How long after its start a thread does this: the phones that come back after a restart, and what has become due
 * meanwhile, are not held up by it.
 */
export const RELEASE_MEMORY_AFTER_MS = 20 * SECOND

/**
 * Collects the garbage of this thread's start, so that V8 gives back to the system what only the start needed: about a
 * fifth of the memory of a site at rest. On its own, V8 waits for a full collection, which a quiet site may not reach
 * for days. Blocks the thread once, for some hundredths of a second. Never rejects: it is only a saving.
 */
export async function releaseMemory(): Promise<void> {
  const session = new Session()
  try {
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
  } catch {
    // The thread keeps the memory for now.
  } finally {
    session.disconnect()
  }
}
