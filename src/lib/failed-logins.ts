/**
 * Failed logins by address, with a half-life, so that devices with a stale password behind a shared address slow nobody
 * down: they try the same again and again. Somebody who tries many passwords waits longer and longer. Nobody is locked
 * out: there is only a wait, never a refusal.
 */
export class FailedLogins {
  readonly #failures = new Map<string, Known>()

  /** Milliseconds that the next attempt from this address has to wait. `now` in milliseconds. */
  delayMs(address: string, now: number): number {
    const count = this.recent(address, now)
    return WAITS.findLast(({ failures }) => count >= failures)?.ms ?? 0
  }

  /** `tried`: a digest of what was tried; where it is one of the last ones from this address it hardly counts. */
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
    // A Map remembers its order: the first one is the address that failed longest ago.
    if (this.#failures.size > MAX_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value!)
  }

  /** How many there were from this address lately, older ones counting less. */
  recent(address: string, now: number): number {
    const known = this.#failures.get(address)
    return known === undefined ? 0 : known.count * 0.5 ** ((now - known.at) / HALF_LIFE_MS)
  }
}

type Known = { readonly count: number; readonly at: number; readonly last: readonly string[] }

/** As a part of a failure. Thirty devices that try once a second stay below the first wait. */
const REPEAT = 0.01
/** Of one address; with more than that stale it is slowed. */
const MAX_STALE = 32
const HALF_LIFE_MS = 60_000
const MAX_ADDRESSES = 10_000
/** How long an attempt waits once its address has this many recent failures. */
const WAITS = [
  { failures: 30, ms: 250 },
  { failures: 100, ms: 1000 },
  { failures: 300, ms: 3000 },
] as const
