import { MINUTE, SECOND } from './durations.ts'

/** Keys remembered. Beyond that, the one that has been silent longest is forgotten. */
const MAX_KEYS = 5_000

type Window = { count: number; readonly since: number }

/** Counts requests by key, in windows of a minute that begin with the first request of a key. */
export class RequestWindows {
  readonly #max: number
  readonly #windows = new Map<string, Window>()

  /** `max`: requests allowed in one window. */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Counts a request. Null if it is allowed, else the whole seconds until the window ends, at least 1. `now` in
   * monotonic milliseconds.
   */
  count(key: string, now: number): number | null {
    const known = this.#windows.get(key)
    const window = known !== undefined && now < known.since + MINUTE ? known : { count: 0, since: now }
    window.count += 1
    // A Map keeps insertion order: the first key is the one that has been silent longest.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > MAX_KEYS) this.#windows.delete(this.#windows.keys().next().value!)
    return window.count > this.#max ? Math.ceil((window.since + MINUTE - now) / SECOND) : null
  }
}
