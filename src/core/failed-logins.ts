/**
 * Failed logins by address, with a half-life, so that one device with a stale password behind a shared address slows nobody down,
 * while somebody who tries many passwords waits longer and longer. Nobody is locked out: there is only a wait, never a refusal.
 */
export class FailedLogins {
  readonly #failures = new Map<string, { count: number; at: number }>()

  /** Milliseconds that the next attempt from this address has to wait. `now` in milliseconds. */
  delayMs(address: string, now: number): number {
    const count = this.recent(address, now)
    return WAITS.findLast(({ failures }) => count >= failures)?.ms ?? 0
  }

  failed(address: string, now: number): void {
    const count = this.recent(address, now) + 1
    this.#failures.delete(address)
    this.#failures.set(address, { count, at: now })
    // A Map remembers its order: the first one is the address that failed longest ago.
    if (this.#failures.size > MOST_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value!)
  }

  /** How many there were from this address lately, older ones counting less. */
  recent(address: string, now: number): number {
    const known = this.#failures.get(address)
    return known === undefined ? 0 : known.count * 0.5 ** ((now - known.at) / HALF_LIFE_MS)
  }
}

const HALF_LIFE_MS = 60_000
const MOST_ADDRESSES = 10_000
/** How long an attempt waits once its address has this many recent failures. */
const WAITS = [
  { failures: 30, ms: 250 },
  { failures: 100, ms: 1000 },
  { failures: 300, ms: 3000 },
] as const
