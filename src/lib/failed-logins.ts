/**
 * Failed logins by address, with a half-life. Repeating the same stale password hardly counts, so that such devices do
 * not slow down others behind a shared address. Trying many passwords makes the wait longer and longer. There is only
 * ever a wait, never a lock-out.
 */
export class FailedLogins {
  readonly #failures = new Map<string, Known>()

  /** Milliseconds that the next attempt from this address must wait. `now` in milliseconds. */
  delayMs(address: string, now: number): number {
    const count = this.recent(address, now)
    return WAITS.findLast(({ failures }) => count >= failures)?.ms ?? 0
  }

  /** `tried`: a digest of the password. If it is among the last ones from this address, the failure hardly counts. */
  failed(address: string, now: number, tried: string | null = null): void {
    const last = this.#failures.get(address)?.last ?? []
    const isRepeat = tried !== null && last.includes(tried)
    const count = this.recent(address, now) + (isRepeat ? REPEAT : 1)
    this.#failures.delete(address)
    this.#failures.set(address, {
      count,
      at: now,
      last: tried === null || isRepeat ? last : [...last, tried].slice(-MAX_STALE),
    })
    // A Map keeps insertion order: the first entry is the address whose last failure is oldest.
    if (this.#failures.size > MAX_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value!)
  }

  /** Recent failures of this address. Older ones count less. */
  recent(address: string, now: number): number {
    const known = this.#failures.get(address)
    return known === undefined ? 0 : known.count * 0.5 ** ((now - known.at) / HALF_LIFE_MS)
  }
}

type Known = { readonly count: number; readonly at: number; readonly last: readonly string[] }

/** Weight of a repeated failure. Thirty devices that try once a second stay below the first wait. */
const REPEAT = 0.01
/** Stale passwords remembered per address. An address with more of them is slowed down. */
const MAX_STALE = 32
const HALF_LIFE_MS = 60_000
const MAX_ADDRESSES = 10_000
/** How long an attempt waits, by the number of recent failures of its address. */
const WAITS = [
  { failures: 30, ms: 250 },
  { failures: 100, ms: 1000 },
  { failures: 300, ms: 3000 },
] as const
