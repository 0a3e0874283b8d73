/** The clock is not believed. rules.md#clock. */
export type ClockDoubt = {
  /** The last moment (epoch ms) at which it was believed: what it says is measured by that. */
  readonly believedMoment: number
  /** What the system says of its time is no proof: it said so already when the clock jumped. */
  readonly needsOperator: boolean
}

export type ClockStore = {
  /**
   * `newestMoment`: the newest moment (epoch ms) that the service stored anything at, in its clock: one that says less
   * cannot be right. 0 for an empty store. `doubt`: null while the clock is believed.
   */
  clockRecord(): Promise<{ readonly newestMoment: number; readonly doubt: ClockDoubt | null }>
  /** The service's clock says `now` (epoch ms), which becomes the newest moment whatever it was before. */
  keepClock(now: number, doubt: ClockDoubt | null): Promise<void>
  /** The operator says that the clock is right at `now` (epoch ms). Leaves a notice. */
  acceptClock(now: number): Promise<void>
}
