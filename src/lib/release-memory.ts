import { Session } from 'node:inspector/promises'

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
