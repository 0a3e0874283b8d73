/** Time as the service sees it. */
export type Clock = {
  /**
   * Epoch milliseconds. Runs on monotonic time and takes over changes of the wall clock at distinct moments, so that a
   * jump neither fires a deadline early nor delays one.
   */
  now(): number
  /** Calls `wake` once after `delayMs` (0 or more), unless the returned function cancels it. */
  after(delayMs: number, wake: () => void): () => void
  /** True: when a shift is reported, the stored deadlines have moved with it. Otherwise the listeners see to it. */
  readonly movesDeadlines?: boolean
  /** Called whenever the wall clock was set, with the milliseconds by which `now()` has just jumped. */
  onShift(listener: (byMs: number) => void): void
}
