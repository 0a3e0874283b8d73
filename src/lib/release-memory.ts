import { Session } from 'node:inspector/promises'
import { flushCompileCache } from 'node:module'
import { getHeapStatistics } from 'node:v8'
import { SECOND } from './durations.ts'

/**
 * How long after its start a thread looks whether it is at rest, and how often from then on: reconnecting phones and
 * messages that became due during a restart are not delayed.
 */
const RELEASE_MEMORY_AFTER_MS = 20 * SECOND

/** At rest a thread works for less than this share of a second: a press takes two thousandths. */
const AT_REST = 0.02

/**
 * A site at rest has 50 to 60 MB. What the collection takes grows with the heap: with 3,000 connections 0.13 s of the
 * thread's processor time, and two seconds where V8's helpers have to wait for a processor.
 */
const MAX_HEAP_BYTES = 72 * 1024 * 1024

/** Measures what share of the time until its function is called this thread works. */
const shareOfWork = (): (() => number) => {
  const before = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(before).utilization
}

/**
 * Calls `release` once, the first time that this thread has been at rest for a second: what blocks it then delays
 * nobody. Returns a function that calls it off. Keeps no process alive.
 */
export function onceAtRest(release: () => void, measure = shareOfWork): () => void {
  let timer: NodeJS.Timeout
  const look = (): void => {
    const share = measure()
    timer = setTimeout(() => {
      if (share() < AT_REST) release()
      else timer = setTimeout(look, RELEASE_MEMORY_AFTER_MS).unref()
    }, SECOND).unref()
  }
  timer = setTimeout(look, RELEASE_MEMORY_AFTER_MS).unref()
  return () => clearTimeout(timer)
}

/**
 * Collects the garbage of this thread's start, so that V8 gives back to the system what only the start needed: about a
 * fifth of the memory of a site at rest. On its own, V8 waits for a full collection, which a quiet site may not reach
 * for days. Blocks the thread once, for some hundredths of a second: call it at rest. A site with a larger heap is left
 * alone, because it reaches V8's own collection, which goes in steps. Never rejects: it is only a saving.
 * Returns whether it collected.
 */
export async function releaseMemory(maxHeapBytes = MAX_HEAP_BYTES): Promise<boolean> {
  if (getHeapStatistics().used_heap_size > maxHeapBytes) return false
  const session = new Session()
  try {
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
    return true
  } catch {
    // The thread keeps the memory for now.
    return false
  } finally {
    session.disconnect()
  }
}

/**
 * Frees the cached code of the modules that this thread has loaded so far. V8 has what it needs of it, but Node keeps
 * its own copy until the cache is written. What is missing in the files of the cache is written first: nothing, unless
 * this is the first start of a version; then it blocks the thread for some tenths of a second, so this is called before
 * anything comes in. Does nothing where there is no cache; never throws.
 */
export const releaseCachedCode = (): void => flushCompileCache()
