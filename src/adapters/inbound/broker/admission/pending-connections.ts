import { FailedLogins } from '../../../../lib/failed-logins.ts'
import { networkOf } from '../../../../lib/network-of.ts'

/** A connection that has not logged in. */
export type PendingConnection = {
  /** Whether its CONNECT is complete. */
  hasAsked(): boolean
  /**
   * Its CONNECT is complete: it is no longer pushed aside for another one. Answers how many milliseconds its password
   * has to wait.
   */
  asks(): number
  /** Its credentials are wrong. `tried`: a digest of them. */
  fails(tried: string): void
  /** It has logged in. */
  becomesKnown(): void
  /** It is closed. One that never had a complete CONNECT has failed; one that asked is told so by whoever decided. */
  leaves(): void
}

type Waiting = { readonly end: () => void; readonly since: number; asked: boolean }

/** How many connections of an address may wait at once, as a share of the most, by what failed there lately. */
const SHARES = [
  { failures: 0, share: 1 },
  { failures: 30, share: 0.1 },
  { failures: 100, share: 0.03 },
  { failures: 300, share: 0.01 },
] as const

/**
 * Connections from before their login, by address. An address that behaves may have thousands of them at once, as a
 * site does that comes back after an outage. Where logins fail, or connections end without one, fewer may wait at the
 * same time, and passwords have to wait longer. Nobody is locked out: a new connection takes the place of the one that
 * has been silent longest.
 */
export class PendingConnections {
  readonly #maxWaiting: number
  readonly #maxMs: number
  readonly #failures = new FailedLogins()
  /** By address, the one that has waited longest first. */
  readonly #byAddress = new Map<string, Set<Waiting>>()

  /**
   * `maxWaiting`: at once from one address that behaves. `maxMs`: until a CONNECT is complete, a TLS handshake before
   * it included.
   */
  constructor({ maxWaiting, maxMs }: { readonly maxWaiting: number; readonly maxMs: number }) {
    this.#maxWaiting = maxWaiting
    this.#maxMs = maxMs
  }

  /** A connection was accepted; `end` ends it at once. */
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

  /** Ends those that are too late. `now` in monotonic milliseconds. */
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
      // Not its fault, so no failure: otherwise a site that comes back at once would be given less and less room.
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
