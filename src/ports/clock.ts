/** Time as the service sees it. */
export type Clock = {
  /**
   * Epoch milliseconds. Runs on monotonic time between the moments at which it takes over a change of the wall clock,
   * so that a jump of the clock neither fires a deadline early nor sleeps late.
   */
  now(): number
  /** Calls `wake` once after `delayMs` (0 or more), unless the returned function is called first. */
  after(delayMs: number, wake: () => void): () => void
  /** Called with the milliseconds by which `now()` has just jumped, whenever the wall clock was set. */
  onShift(listener: (byMs: number) => void): void
}
