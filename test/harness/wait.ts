import { setTimeout as sleep } from 'node:timers/promises'

/** How long an expected condition may take on a busy machine. Not how long a test takes when all is well. */
const TIMEOUT_MS = 30_000

const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 100
/** A look that takes long must not keep the machine busy that everything waits for. */
const PAUSE_PER_LOOK = 4

/** The real one, also for a test that has stopped `performance.now()`. */
const monotonicMs = performance.now.bind(performance)

/**
 * Polls `look` until it returns anything but null, undefined or false, and resolves with that. Fails with `what` if it
 * never does.
 */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const deadline = monotonicMs() + timeoutMs
  for (;;) {
    const began = monotonicMs()
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    const now = monotonicMs()
    if (now > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_PER_LOOK * (now - began))))
  }
}
