import { isSameLease, type Lease } from '../../core/incident/delivery.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { LeaseAnswer, NodeRecord } from '../../ports/node-store.ts'

export type Granted = Exclude<LeaseAnswer, { readonly refused: unknown }>

type OtherNodesNeeds = {
  readonly lengthMs: number
  readonly monotonic: () => number
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
}

/** The other nodes as of the last renewal, and their leases that count as ended. keeping.md#several-nodes. */
export class OtherNodes {
  readonly #needs: OtherNodesNeeds
  #records: readonly NodeRecord[] = []
  /** The database's clock when they were read. */
  #now = 0
  /** The start (monotonic) of the unbroken series of answered requests. */
  #reachedSince: number | null = null
  /** Since when (monotonic) this server has answered with an evenly running clock. */
  #serverSince = 0
  /** When (monotonic) leases, by token, were first seen to have ended. */
  #endedSince: ReadonlyMap<number, number> = new Map()
  #known: readonly Lease[] = []

  constructor(needs: OtherNodesNeeds) {
    this.#needs = needs
  }

  /** Takes the answer to a renewal. */
  follow({ isSameServer, others, now }: Granted): void {
    const at = this.#needs.monotonic()
    this.#records = others
    this.#now = now
    this.#reachedSince ??= at
    if (!isSameServer) this.#serverSince = at
    const ended = others.filter(({ leaseUntil }) => leaseUntil <= now)
    this.#endedSince = new Map(ended.map(({ lease: { token } }) => [token, this.#endedSince.get(token) ?? at]))
  }

  /** Records a renewal without an answer. */
  lose(): void {
    this.#reachedSince = null
  }

  /** Whether the last request was answered. */
  get areReached(): boolean {
    return this.#reachedSince !== null
  }

  /** The nodes whose leases were in force. */
  get living(): readonly NodeRecord[] {
    return this.#records.filter(({ leaseUntil }) => leaseUntil > this.#now)
  }

  /** The leases whose claims are left alone. */
  get leases(): readonly Lease[] {
    const left = this.#records.filter(({ lease: { token }, isStopped }) => {
      return !isStopped && (!this.#endedSince.has(token) || this.#quietMs(token) > 0)
    })
    return left.map(({ lease }) => lease)
  }

  /** The time until the first of their leases can end. */
  get firstEndMs(): number {
    return Math.min(...this.living.map(({ leaseUntil }) => leaseUntil - this.#now))
  }

  /** The time until the next ended lease counts as ended. */
  get nextQuietEndMs(): number {
    const quiet = [...this.#endedSince.keys()].map((token) => this.#quietMs(token))
    return Math.min(...quiet.filter((ms) => ms > 0))
  }

  /** Whether `leases` have changed since the last call. Reports take-overs. */
  haveChanged(): boolean {
    const { log, meter } = this.#needs
    const before = this.#known
    const leases = this.leases
    this.#known = leases
    const isIn = (all: readonly Lease[], lease: Lease) => all.some((one) => isSameLease(one, lease))
    const gone = before.filter((lease) => !isIn(leases, lease))
    for (const { node } of gone) {
      const left = this.#records.find(({ lease, isStopped }) => lease.node === node && isStopped)
      if (left !== undefined || leases.some((lease) => lease.node === node)) continue
      meter.count('takeovers_total')
      log.warn({ nodeId: node }, 'the lease of another node has ended; what it had claimed is taken over')
    }
    return gone.length > 0 || leases.some((lease) => !isIn(before, lease))
  }

  /**
   * How much longer a lease that has ended in the database does not count as ended. A server that is new to this node
   * may have missed the last renewals. And nobody could renew while the database was unreachable, so a lease not seen
   * to have ended before that gets one chance.
   */
  #quietMs(token: number): number {
    const { monotonic, lengthMs } = this.#needs
    const never = Number.POSITIVE_INFINITY
    const chanceSince = Math.min(this.#reachedSince ?? never, this.#endedSince.get(token) ?? never)
    return Math.max(0, Math.max(this.#serverSince, chanceSince) + lengthMs - monotonic())
  }
}
