/**
 * A rate limit: `perSecond` on average, `atOnce` (default: one second's worth) in a burst. Times are monotonic
 * milliseconds.
 */
export class Budget {
  readonly #perSecond: number
  readonly #atOnce: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number, atOnce = perSecond) {
    this.#perSecond = perSecond
    this.#atOnce = atOnce
    this.#left = atOnce
    this.#at = now
  }

  get spent(): boolean {
    return this.#left <= 0
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  refill(now: number): void {
    this.#left = Math.min(this.#atOnce, this.#left + ((now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
  }

  /** Milliseconds until there is budget again. */
  waitMs(): number {
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) * 1000) / this.#perSecond)
  }
}
