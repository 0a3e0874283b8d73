import { HOUR } from '../../lib/durations.ts'

/** At most so many an hour. A clock that was set begins a new hour. */
export class HourlyQuota {
  readonly #max: number
  #since = Number.NEGATIVE_INFINITY
  #taken = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Whether one more is within it at `now`, epoch ms. */
  takes(now: number): boolean {
    if (Math.abs(now - this.#since) >= HOUR) {
      this.#since = now
      this.#taken = 0
    }
    this.#taken += 1
    return this.#taken <= this.#max
  }
}
