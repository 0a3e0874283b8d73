import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects the garbage of this thread's start, so that V8 gives back to the system what only the start needed: about a
 * fifth of the memory of a site at rest. On its own, V8 waits for a full collection, which a quiet site may not reach
 * for days. Blocks the thread once, for some hundredths of a second.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect()
}
