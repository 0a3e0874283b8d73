import type { SendingNode } from '../../core/incident/command.ts'
import { isSameLease, type Lease } from '../../core/incident/delivery.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { LeaseAnswer, NodeIdentity, NodeStore } from '../../ports/node-store.ts'

/** Renewed this often within its length: one renewal may fail or come late. */
const RENEWALS = 3
/** How long after a renewal that failed the next one is tried. */
const RETRY_MS = SECOND
/** What is handed over this shortly before the end might leave the machine after it. */
const MARGIN_MS = SECOND

/** Two clocks in milliseconds: `monotonic` stops while the machine is suspended, `wall` may be set. */
export type LeaseClocks = { readonly monotonic: () => number; readonly wall: () => number }

type Moment = { readonly monotonic: number; readonly wall: number }

export type NodeLeaseParts = {
  readonly store: NodeStore
  readonly identity: NodeIdentity
  readonly lengthMs: number
  /** For how long after a claim a request of a node that is gone may still be on its way. */
  readonly settleMs: number
  /** Whether the dispatcher gets on. A node that claims and does not send must lose its lease. */
  readonly makesProgress: () => Promise<boolean>
  /** Called when this node may send from now on, or no longer. */
  readonly changed: (maySend: boolean) => void
  readonly clocks: LeaseClocks
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}

type Granted = Exclude<LeaseAnswer, { readonly refused: unknown }>

/**
 * This node's right to send, renewed for as long as its dispatcher gets on. It counts from before it was asked for, and
 * ends by this machine's own clocks, without a word from the database. rules.md#several-nodes.
 */
export class NodeLease {
  readonly #parts: NodeLeaseParts
  #granted: Granted | null = null
  #from: Moment = { monotonic: 0, wall: 0 }
  /** When (monotonic) the database could be reached again after it could not, or for the first time. */
  #reachedSince: number | null = null
  #maySend = false
  #isStopped = false
  #stopRenewing = () => {}
  #stopWatching = () => {}

  constructor(parts: NodeLeaseParts) {
    this.#parts = parts
  }

  /** Resolves after the first attempt to get the lease. Further ones follow until `stop`. */
  async start(): Promise<void> {
    await this.#renew()
  }

  /** What claims and look-ups go under; null while this node may make none. */
  get node(): SendingNode | null {
    const granted = this.#granted
    if (granted === null || granted.isDraining || this.leftMs(granted.lease) === 0) return null
    const { lease, others, now } = granted
    const living = others.filter((other) => this.#isQuiet() || other.leaseUntil > now).map((other) => other.lease)
    return { lease, others: living, settleMs: this.#parts.settleMs }
  }

  /** Milliseconds for which what was claimed under `lease` may still be handed to a provider. */
  leftMs(lease: Lease): number {
    if (this.#granted === null || !isSameLease(this.#granted.lease, lease)) return 0
    const { clocks, lengthMs } = this.#parts
    const past = Math.max(clocks.monotonic() - this.#from.monotonic, clocks.wall() - this.#from.wall)
    return Math.max(0, lengthMs - MARGIN_MS - past)
  }

  /** Ends the lease, so that others need not wait for its end. Call it when nothing is being sent any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopRenewing()
    this.#stopWatching()
    const lease = this.#granted?.lease
    this.#granted = null
    if (lease === undefined) return
    try {
      await this.#parts.store.endLease(lease)
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'could not end the lease; other nodes wait until it ends by itself')
    }
  }

  async #renew(): Promise<void> {
    const { clock, lengthMs } = this.#parts
    const isRenewed = await this.#ask()
    if (this.#isStopped) return
    this.#watch()
    this.#stopRenewing = clock.after(isRenewed ? lengthMs / RENEWALS : RETRY_MS, () => void this.#renew())
  }

  async #ask(): Promise<boolean> {
    const { store, identity, lengthMs, clocks, log } = this.#parts
    try {
      if (this.#granted !== null && !(await this.#parts.makesProgress())) {
        log.error({}, 'nothing is being sent although something is due; the lease is not renewed')
        return false
      }
      const from = { monotonic: clocks.monotonic(), wall: clocks.wall() }
      const answer = await store.lease(identity, { lengthMs, token: this.#granted?.lease.token ?? null })
      this.#reachedSince ??= clocks.monotonic()
      if ('refused' in answer) {
        const { id } = identity
        log.error({ nodeId: id }, `another machine is node ${id}; give this one an id of its own (node.id)`)
        return false
      }
      this.#granted = answer
      this.#from = from
      return true
    } catch (error) {
      this.#reachedSince = null
      log.warn({ err: error }, 'could not renew the lease; trying again')
      return false
    }
  }

  /** While the database could not be reached nobody could renew, so that says nothing about whether a node lives. */
  #isQuiet(): boolean {
    const { clocks, lengthMs } = this.#parts
    return this.#reachedSince === null || clocks.monotonic() - this.#reachedSince < lengthMs
  }

  /** Tells of a change, and looks again when the lease ends. */
  #watch(): void {
    this.#stopWatching()
    const maySend = this.node !== null
    if (maySend !== this.#maySend) {
      this.#maySend = maySend
      this.#parts.changed(maySend)
    }
    if (maySend) this.#stopWatching = this.#parts.clock.after(this.leftMs(this.#granted!.lease), () => this.#watch())
  }
}
