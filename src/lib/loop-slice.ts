/**
 * The part of an event-loop turn that some callers may use together: Node hands over what all connections have received
 * in one go.
 */
export class LoopSlice {
  readonly #ticks: LoopTicks
  readonly #ms: number
  #tick = -1
  #usedMs = 0

  /** `ms`: main-thread time per turn. */
  constructor(ticks: LoopTicks, ms: number) {
    this.#ticks = ticks
    this.#ms = ms
  }

  get spent(): boolean {
    return this.#usedMs >= this.#ms && this.#tick === this.#ticks.now()
  }

  spend(ms: number): void {
    const tick = this.#ticks.now()
    if (tick !== this.#tick) this.#usedMs = 0
    this.#tick = tick
    this.#usedMs += ms
  }
}

/** Counts the turns of the event loop in which anybody asks. */
export class LoopTicks {
  #tick = 0
  #isAsked = false

  now(): number {
    if (!this.#isAsked) {
      this.#isAsked = true
      setImmediate(this.#ends)
    }
    return this.#tick
  }

  readonly #ends = (): void => {
    this.#isAsked = false
    this.#tick += 1
  }
}
