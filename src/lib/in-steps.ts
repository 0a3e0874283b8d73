/** Main-thread time of a step, in ms. */
const STEP_MS = 2

/**
 * Calls `look` for each of `all`, for about two milliseconds of a turn of the event loop. What `look` does may be
 * costly for all at once: an outage ends the connections of a whole town in the same second.
 */
export async function inSteps<T>(all: Iterable<T>, look: (one: T) => void): Promise<void> {
  let began = performance.now()
  for (const one of all) {
    look(one)
    if (performance.now() - began < STEP_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
  }
}
