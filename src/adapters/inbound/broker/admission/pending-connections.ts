import { FailedLogins } from '../../../../core/pacing/failed-logins.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import type { Place } from '../../../../lib/places.ts'

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

/** Shared by the entries of one `PendingConnections`. */
type Registry = { readonly failures: FailedLogins; readonly forget: (waiting: Waiting) => boolean }

/** One object with the methods of its class: thousands of connections keep theirs for days. */
class Waiting implements PendingConnection {
  readonly network: string
  readonly end: () => void
  readonly since = performance.now()
  asked = false
  readonly #registry: Registry
  readonly #place: Pick<Place, 'works'> | null

  constructor(network: string, end: () => void, registry: Registry, place: Pick<Place, 'works'> | null) {
    this.network = network
    this.end = end
    this.#registry = registry
    this.#place = place
  }

  hasAsked(): boolean {
    return this.asked
  }

  asks(): number {
    this.asked = true
    return this.#registry.failures.delayMs(this.network, performance.now())
  }

  fails(tried: string): void {
    this.#registry.failures.failed(this.network, performance.now(), tried)
  }

  becomesKnown(): void {
    this.#registry.forget(this)
    this.#place?.works()
  }

  leaves(): void {
    const { failures, forget } = this.#registry
    if (forget(this) && !this.asked) failures.failed(this.network, performance.now())
  }
}

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
  readonly #registry: Registry = { failures: this.#failures, forget: (waiting) => this.#forget(waiting) }

  /**
   * `maxWaiting`: connections at a time from one well-behaved address. `maxMs`: time until the CONNECT is complete,
   * including any TLS handshake.
   */
  constructor({ maxWaiting, maxMs }: { readonly maxWaiting: number; readonly maxMs: number }) {
    this.#maxWaiting = maxWaiting
    this.#maxMs = maxMs
  }

  /**
   * Registers an accepted connection; `end` closes it immediately. `place`: its place, which counts as working once it
   * has logged in.
   */
  arrives(address: string, end: () => void, place?: Pick<Place, 'works'> | null): PendingConnection {
    const network = networkOf(address)
    const waiting = new Waiting(network, end, this.#registry, place ?? null)
    const others = this.#byAddress.get(network) ?? new Set()
    this.#byAddress.set(network, others.add(waiting))
    if (others.size > this.#maxFrom(network)) this.#makeRoom(others)
    return waiting
  }

  /** Functions that close the connections past their deadline. `now` in monotonic milliseconds. */
  *overdue(now: number): Iterable<() => void> {
    for (const all of this.#byAddress.values()) {
      for (const waiting of all) if (!waiting.asked && now - waiting.since >= this.#maxMs) yield waiting.end
    }
  }

  #maxFrom(network: string): number {
    const failures = this.#failures.recent(network, performance.now())
    const { share } = SHARES.findLast((step) => failures >= step.failures)!
    return Math.max(1, Math.floor(this.#maxWaiting * share))
  }

  #makeRoom(others: Set<Waiting>): void {
    for (const waiting of others) {
      if (waiting.asked) continue
      // Not its fault, so not a failure: otherwise a site that reconnects all together would get less and less room.
      this.#forget(waiting)
      waiting.end()
      return
    }
  }

  #forget(waiting: Waiting): boolean {
    const others = this.#byAddress.get(waiting.network)
    if (others?.delete(waiting) !== true) return false
    if (others.size === 0) this.#byAddress.delete(waiting.network)
    return true
  }
}
