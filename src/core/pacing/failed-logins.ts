import { BoundedMap } from '../../lib/bounded-map.ts'
import { MINUTE } from '../../lib/durations.ts'
import { DecayingCounts } from './decaying-counts.ts'

/**
 * Failed logins by address, with a half-life. Repeating the same stale password hardly counts, so that such devices do
 * not slow down others behind a shared address. Trying many passwords makes the wait grow. There is only ever a wait,
 * never a lock-out.
 */
export class FailedLogins {
  readonly #failures = new DecayingCounts(MINUTE, MAX_ADDRESSES)
  /** The last passwords tried from each address, as digests. */
  readonly #tried = new BoundedMap<string, readonly string[]>(MAX_ADDRESSES)

  /** Milliseconds that the next attempt from this address must wait. `now` in milliseconds. */
  delayMs(address: string, now: number): number {
    const count = this.recent(address, now)
    return WAITS.findLast(({ failures }) => count >= failures)?.ms ?? 0
  }

  /** `tried`: a digest of the password. If it is among the last ones from this address, the failure hardly counts. */
  failed(address: string, now: number, tried: string | null = null): void {
    const last = this.#tried.get(address) ?? []
    const isRepeat = tried !== null && last.includes(tried)
    this.#failures.add(address, isRepeat ? REPEAT : 1, now)
    this.#tried.set(address, tried === null || isRepeat ? last : [...last, tried].slice(-MAX_STALE))
  }

  /** Recent failures of this address. Older ones count less. */
  recent(address: string, now: number): number {
    return this.#failures.recent(address, now)
  }
}

/** Weight of a repeated failure. Thirty devices that try once a second stay below the first wait. */
const REPEAT = 0.01
/** Stale passwords remembered per address. An address with more of them is slowed down. */
const MAX_STALE = 32
const MAX_ADDRESSES = 10_000
/** How long an attempt waits, by the number of recent failures of its address. */
const WAITS = [
  { failures: 30, ms: 250 },
  { failures: 100, ms: 1000 },
  { failures: 300, ms: 3000 },
] as const
