/**
 * A token bucket: `perSecond` on average, `atOnce` (default: one second's worth) in a burst. Times are in milliseconds;
 * a clock that is set back neither fills nor empties it.
 */
export class Bucket {
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

  /** Spends an amount, overdrawing if needed: reading it has already cost its time. */
  spend(amount: number): void {
    this.#left -= amount
  }

  refill(now: number): void {
    this.#left = Math.min(this.#atOnce, this.#left + (Math.max(0, now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
  }

  /** Refills the bucket and tells whether a whole token is left. */
  hasOne(now: number): boolean {
    this.refill(now)
    return this.#left >= 1
  }

  /** Refills the bucket and takes a whole token; false if there is none. */
  take(now: number): boolean {
    const isLeft = this.hasOne(now)
    if (isLeft) this.spend(1)
    return isLeft
  }

  /** Milliseconds until a whole token is there again; 0 unless the bucket is empty or overdrawn. */
  waitMs(): number {
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) * 1000) / this.#perSecond)
  }
}
