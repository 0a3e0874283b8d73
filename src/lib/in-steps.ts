/** Main-thread time of a step, in ms. */
const STEP_MS = 2

/**
 * Calls `act` for each of `all`, about two milliseconds' worth per turn of the event loop: an outage ends the
 * connections of a whole town in the same second. Rejects with what `act` throws, and leaves the rest.
 */
export async function inSteps<T>(all: Iterable<T>, act: (one: T) => void): Promise<void> {
  let began = performance.now()
  for (const one of all) {
    act(one)
    if (performance.now() - began < STEP_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
  }
}

/**
 * Calls `check` every `ms` with the time of the monotonic clock, but never while the previous one goes on. Returns what
 * stops it. A check that rejects is a fault; later ones still run.
 */
export function checkEvery(ms: number, check: (now: number) => Promise<void>): () => void {
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    try {
      await check(performance.now())
    } finally {
      isChecking = false
    }
  }, ms).unref()
  return () => clearInterval(timer)
}
