import { FailedLogins } from '../../../../lib/failed-logins.ts'
import { networkOf } from '../../../../lib/network-of.ts'

/** A connection that has not logged in yet. */
export type PendingConnection = {
  /** Whether its CONNECT is complete. */
  hasAsked(): boolean
  /**
   * Its CONNECT is complete, so it no longer makes room for others. Returns the milliseconds to wait before its
   * password is checked.
   */
  asks(): number
  /** Its credentials are wrong. `tried`: a digest of them. */
  fails(tried: string): void
  /** It has logged in. */
  becomesKnown(): void
  /** It is closed. Without a complete CONNECT that counts as a failure; after one, the login's own result counts. */
  leaves(): void
}

type Waiting = { readonly end: () => void; readonly since: number; asked: boolean }

/** The share of `maxWaiting` that an address may have waiting at a time, by its recent failures. */
const SHARES = [
  { failures: 0, share: 1 },
  { failures: 30, share: 0.1 },
  { failures: 100, share: 0.03 },
  { failures: 300, share: 0.01 },
] as const

/**
 * Connections that have not logged in yet, by address. A well-behaved address may have thousands, as when a site comes
 * back after an outage. Where logins fail, or connections end without one, fewer may wait at a time and passwords wait
 * longer. No address is locked out: a new connection replaces the one that has been silent longest.
 */
export class PendingConnections {
  readonly #maxWaiting: number
  readonly #maxMs: number
  readonly #failures = new FailedLogins()
  /** By address, the longest-waiting first. */
  readonly #byAddress = new Map<string, Set<Waiting>>()

  /**
   * `maxWaiting`: connections at a time from one well-behaved address. `maxMs`: time until the CONNECT is complete,
   * including any TLS handshake.
   */
  constructor({ maxWaiting, maxMs }: { readonly maxWaiting: number; readonly maxMs: number }) {
    this.#maxWaiting = maxWaiting
    this.#maxMs = maxMs
  }

  /** Registers an accepted connection; `end` closes it immediately. */
  arrives(address: string, end: () => void): PendingConnection {
    const network = networkOf(address)
    const waiting: Waiting = { end, since: performance.now(), asked: false }
    const others = this.#byAddress.get(network) ?? new Set()
    this.#byAddress.set(network, others.add(waiting))
    if (others.size > this.#maxFrom(network)) this.#makeRoom(network, others)
    return {
      hasAsked: () => waiting.asked,
      asks: () => {
        waiting.asked = true
        return this.#failures.delayMs(network, performance.now())
      },
      fails: (tried) => this.#failures.failed(network, performance.now(), tried),
      becomesKnown: () => this.#forget(network, waiting),
      leaves: () => {
        if (this.#forget(network, waiting) && !waiting.asked) this.#failures.failed(network, performance.now())
      },
    }
  }

  /** Closes connections that have passed their deadline. `now` in monotonic milliseconds. */
  check(now: number): void {
    for (const waiting of [...this.#byAddress.values()].flatMap((all) => [...all])) {
      if (!waiting.asked && now - waiting.since >= this.#maxMs) waiting.end()
    }
  }

  #maxFrom(network: string): number {
    const failures = this.#failures.recent(network, performance.now())
    const { share } = SHARES.findLast((step) => failures >= step.failures)!
    return Math.max(1, Math.floor(this.#maxWaiting * share))
  }

  #makeRoom(network: string, others: Set<Waiting>): void {
    for (const waiting of others) {
      if (waiting.asked) continue
      // Not its fault, so not a failure: otherwise a site that reconnects all together would get less and less room.
      this.#forget(network, waiting)
      waiting.end()
      return
    }
  }

  #forget(network: string, waiting: Waiting): boolean {
    const others = this.#byAddress.get(network)
    if (others?.delete(waiting) !== true) return false
    if (others.size === 0) this.#byAddress.delete(network)
    return true
  }
}
