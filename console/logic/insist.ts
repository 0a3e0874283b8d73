/** A request that must not be queued is repeated for this long. */
export const INSIST_MS = 15_000
const PAUSE_MS = 1_500

type Around = {
  /** Milliseconds that only grow. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  readonly isVisible: () => boolean
  /** Whether an error only means that the service could not be reached. */
  readonly isLost: (error: unknown) => boolean
}

/**
 * Repeats `work` while the service cannot be reached: for 15 s at most, and only while the page is visible. Nothing is
 * left for later: an operator's earlier intention may be wrong by then. `work` gets the time that it may take. Rejects
 * with the last error.
 */
export async function insist<T>(work: (leftMs: number) => Promise<T>, around: Around): Promise<T> {
  const { now, wait, isVisible, isLost } = around
  const end = now() + INSIST_MS
  for (;;) {
    try {
      return await work(Math.max(1, end - now()))
    } catch (error) {
      if (!isLost(error) || now() + PAUSE_MS >= end || !isVisible()) throw error
      await wait(PAUSE_MS)
      if (!isVisible()) throw error
    }
  }
}
