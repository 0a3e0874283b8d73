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
