import { FailedLogins } from '../../../../core/pacing/failed-logins.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import { type Place, Places } from '../../../../lib/places.ts'

/** A connection that has not logged in yet. */
export type PendingConnection = {
  /** When it was accepted, in monotonic milliseconds. */
  readonly since: number
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

/** One object with the methods of its class: thousands of connections keep theirs for days. */
class Waiting implements PendingConnection {
  readonly since = performance.now()
  readonly #network: string
  readonly #failures: FailedLogins
  readonly #place: Pick<Place, 'works'> | null
  /** Its place among the waiting ones of its address. Null: it waits no more. */
  #waits: Place | null = null
  #hasAsked = false

  constructor(network: string, failures: FailedLogins, place: Pick<Place, 'works'> | null) {
    this.#network = network
    this.#failures = failures
    this.#place = place
  }

  waitsAt(place: Place | null): void {
    this.#waits = place
  }

  hasAsked(): boolean {
    return this.#hasAsked
  }

  asks(): number {
    this.#hasAsked = true
    this.#waits?.works()
    return this.#failures.delayMs(this.#network, performance.now())
  }

  fails(tried: string): void {
    this.#failures.failed(this.#network, performance.now(), tried)
  }

  becomesKnown(): void {
    this.#stopsWaiting()
    this.#place?.works()
  }

  leaves(): void {
    if (this.#stopsWaiting() && !this.#hasAsked) this.#failures.failed(this.#network, performance.now())
  }

  /** Whether it was waiting. */
  #stopsWaiting(): boolean {
    const waits = this.#waits
    this.#waits = null
    waits?.leaves()
    return waits !== null
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
  readonly #failures = new FailedLogins()
  /** Silent connections rest there; those whose password is being checked work. */
  readonly #waiting: Places

  /** `maxWaiting`: connections at a time from one well-behaved address. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
    this.#waiting = new Places({ max: Number.POSITIVE_INFINITY, maxPerAddress: maxWaiting })
  }

  /**
   * Registers an accepted connection; `end` closes it immediately. `place`: its place, which counts as working once it
   * has logged in.
   */
  arrives(address: string, end: () => void, place: Pick<Place, 'works'> | null = null): PendingConnection {
    const network = networkOf(address)
    const waiting = new Waiting(network, this.#failures, place)
    const makeRoom = (): void => {
      // Not its fault, so not a failure: otherwise a site that reconnects all together would get less and less room.
      waiting.waitsAt(null)
      end()
    }
    const waits = this.#waiting.take(network, makeRoom, this.#maxFrom(network))
    waiting.waitsAt(waits)
    if (waits === null) end()
    return waiting
  }

  #maxFrom(network: string): number {
    const failures = this.#failures.recent(network, performance.now())
    const { share } = SHARES.findLast((step) => failures >= step.failures)!
    return Math.max(1, Math.floor(this.#maxWaiting * share))
  }
}
