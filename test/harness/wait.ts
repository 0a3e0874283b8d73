import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How long a condition that has to come true may take on a busy machine. Never how long a test takes when all is well.
 */
const PATIENCE_MS = 15_000

/**
 * Waits until `look` gives something else than null, undefined or false, and gives that. Fails with
 * `what` when it never does.
 */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(5)
  }
}
