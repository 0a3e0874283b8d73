import { BoundedMap } from '../../lib/bounded-map.ts'

/** At most `times` within any `perMs`. */
export type RateLimit = { readonly times: number; readonly perMs: number }

/** The moments of some event, in ms, earliest first. */
export type Moments = readonly number[]

/** A moment ahead of the clock, which was set back, counts until the clock is `perMs` past it. */
const counts = (at: number, perMs: number, now: number): boolean => Math.abs(now - at) < perMs

/** Milliseconds until one more is within the limit, 0 for now. */
export function waitMsOf(times: Moments, { times: max, perMs }: RateLimit, now: number): number {
  const first = times.at(-max)
  return first !== undefined && counts(first, perMs, now) ? first + perMs - now : 0
}

/** `times` with `now` added, without those that no longer count. */
export const withOneMore = (times: Moments, { perMs }: RateLimit, now: number): Moments => [
  ...times.filter((at) => counts(at, perMs, now)),
  now,
]

/**
 * Limits how often something happens per key, on the clock of the caller's `now` (ms). Refused calls do not count.
 * Beyond `maxKeys` keys, the one that was quiet longest is dropped first.
 */
export class RateLimiter {
  readonly #limit: RateLimit
  readonly #taken: BoundedMap<string, Moments>

  constructor(limit: RateLimit, maxKeys: number) {
    this.#limit = limit
    this.#taken = new BoundedMap(maxKeys)
  }

  /** Takes one; false if none is left. */
  take(key: string, now: number): boolean {
    const times = this.#of(key)
    const isLeft = waitMsOf(times, this.#limit, now) === 0
    this.#taken.set(key, isLeft ? withOneMore(times, this.#limit, now) : times)
    return isLeft
  }

  /** Milliseconds until one is left, 0 for now. */
  waitMs(key: string, now: number): number {
    return waitMsOf(this.#of(key), this.#limit, now)
  }

  /** Gives back the newest one, which is not to count. */
  giveBack(key: string): void {
    this.#taken.set(key, this.#of(key).slice(0, -1))
  }

  #of(key: string): Moments {
    return this.#taken.get(key) ?? []
  }
}
