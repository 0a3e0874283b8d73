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

/** The other nodes as the last renewal found them, and which of their leases count as ended. rules.md#several-nodes. */
export class OtherNodes {
  readonly #needs: OtherNodesNeeds
  #records: readonly NodeRecord[] = []
  /** By the clock of the database, when they were read. */
  #now = 0
  /** Since when (monotonic) every question was answered. */
  #reachedSince: number | null = null
  /** Since when (monotonic) it is this server that answers, and its clock runs evenly. */
  #serverSince = 0
  /** When (monotonic) leases, by token, were first seen to have ended. */
  #endedSince: ReadonlyMap<number, number> = new Map()
  #known: readonly Lease[] = []

  constructor(needs: OtherNodesNeeds) {
    this.#needs = needs
  }

  /** A renewal was answered. */
  follow({ isSameServer, others, now }: Granted): void {
    const at = this.#needs.monotonic()
    this.#records = others
    this.#now = now
    this.#reachedSince ??= at
    if (!isSameServer) this.#serverSince = at
    const ended = others.filter(({ leaseUntil }) => leaseUntil <= now)
    this.#endedSince = new Map(ended.map(({ lease: { token } }) => [token, this.#endedSince.get(token) ?? at]))
  }

  /** A renewal was not answered. */
  lose(): void {
    this.#reachedSince = null
  }

  /** Whether the last question was answered. */
  get areReached(): boolean {
    return this.#reachedSince !== null
  }

  /** Those whose leases were in force. */
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

  /** How long the lease of each one lasts at least. */
  get firstEndMs(): number {
    return Math.min(...this.living.map(({ leaseUntil }) => leaseUntil - this.#now))
  }

  /** When the next lease that has ended counts as such. */
  get nextQuietEndMs(): number {
    const quiet = [...this.#endedSince.keys()].map((token) => this.#quietMs(token))
    return Math.min(...quiet.filter((ms) => ms > 0))
  }

  /** Whether `leases` are others than at the last call. Reports take-overs. */
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
   * For how much longer a lease that has ended in the database does not count as ended. A server that is new here may
   * not have seen the last renewals. And while the database could not be reached nobody could renew: a lease that was
   * not seen to have ended before gets its chance, once.
   */
  #quietMs(token: number): number {
    const { monotonic, lengthMs } = this.#needs
    const never = Number.POSITIVE_INFINITY
    const chanceSince = Math.min(this.#reachedSince ?? never, this.#endedSince.get(token) ?? never)
    return Math.max(0, Math.max(this.#serverSince, chanceSince) + lengthMs - monotonic())
  }
}
