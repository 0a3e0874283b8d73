import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { DecayingCounts } from '../pacing/decaying-counts.ts'

const HALF_LIFE_MS = HOUR
/**
 * Bounds guessing: an attacker who knows a password and guesses codes, of which three in a million are right, gets 288
 * tries a day, less than one chance in a thousand.
 */
const LONGEST_WAIT_MS = 5 * MINUTE

/**
 * Recent failed sign-ins by key; older ones count less. The first `free` cost nothing, then the wait doubles from one
 * second to five minutes. It is never a lock-out. `now`: monotonic ms. limits.md#operators.
 */
export class Paces {
  readonly #free: number
  readonly #failures: DecayingCounts

  constructor(free: number, maxKeys: number) {
    this.#free = free
    this.#failures = new DecayingCounts(HALF_LIFE_MS, maxKeys)
  }

  /** Milliseconds until the next try is allowed, 0 for now. */
  waitMs(key: string, now: number): number {
    const last = this.#failures.last(key)
    if (last === null || last.count < this.#free) return 0
    const wait = Math.min(SECOND * 2 ** Math.floor(last.count - this.#free), LONGEST_WAIT_MS)
    return Math.max(0, last.at + wait - now)
  }

  /** Records a try, which counts as failed until it has succeeded, so that parallel tries count as well. */
  tried(key: string, now: number): void {
    this.#failures.add(key, 1, now)
  }

  /** Records that one of the tries has succeeded. */
  succeeded(key: string): void {
    this.#failures.takeBack(key)
  }
}
