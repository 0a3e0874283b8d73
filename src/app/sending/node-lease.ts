import type { SendingNode } from '../../core/incident/command.ts'
import { isSameLease, type Lease } from '../../core/incident/delivery.ts'
import { QUIET_MS } from '../../core/incident/escalation.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { NodeIdentity, NodeStore } from '../../ports/node-store.ts'
import { TEXT_TIMEOUT_MS } from './compose.ts'
import { type Granted, OtherNodes } from './other-nodes.ts'

/** The duration of a lease. */
export const LEASE_MS = 15 * SECOND
/** Renewals within its duration: one may fail, and each may take as long as a commit may. */
const RENEWALS = 3
/** How soon a failed renewal is tried again. */
const RETRY_MS = SECOND
/** The shortest time from an answer to the next request. */
const MIN_WAIT_MS = 100
/** A message handed over this shortly before the end might leave the machine after it. */
const MARGIN_MS = SECOND

/**
 * How long after a claim a request of a vanished node may still be under way. The providers are tried in sequence,
 * which takes `timeouts` times the time of one, and a provider may not list its last message at once.
 */
export const settleMs = (timeouts: number): number => TEXT_TIMEOUT_MS * timeouts + QUIET_MS

/** The reasons why a node has no lease, as `/readyz` words them. */
const TROUBLES = {
  unreachable: 'it cannot renew its lease in the database',
  taken: 'another machine has the same id; give each its own (node.id)',
  left: 'the site was copied elsewhere',
  stuck: 'it has given up its lease, because nothing that is due could be done for 10 s',
} as const

/** Two clocks in milliseconds: `monotonic` stops while the machine is suspended, `wall` may be set. */
type LeaseClocks = { readonly monotonic: () => number; readonly wall: () => number }

type Moment = { readonly monotonic: number; readonly wall: number }

export type NodeLeaseNeeds = {
  readonly store: NodeStore
  readonly identity: NodeIdentity
  readonly lengthMs: number
  /** How long after a claim a request of a vanished node may still be under way. */
  readonly settleMs: number
  readonly clocks: LeaseClocks
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
  /** The site was copied elsewhere while this node ran: the process has to end. */
  readonly onFatal: (error: Error) => void
}

/**
 * This node's right to send, renewed as long as its dispatcher makes progress. It counts from before the request, and
 * ends by this machine's own clocks, without asking the database. keeping.md#several-nodes.
 */
export class NodeLease {
  readonly #needs: NodeLeaseNeeds
  readonly #others: OtherNodes
  readonly #holdListeners: ((isHeld: boolean) => void)[] = []
  readonly #othersListeners: (() => void)[] = []
  #makesProgress = () => true
  #granted: Granted | null = null
  /** The token of the last granted lease. */
  #token: number | null = null
  /** The moment before the request that was answered last. */
  #from: Moment | null = null
  #cause: keyof typeof TROUBLES = 'unreachable'
  #asking: Promise<unknown> = Promise.resolve()
  #wasHeld = false
  #isStarted = false
  #isStopped = false
  #stopRenewing = () => {}
  #stopWatching = () => {}

  constructor(needs: NodeLeaseNeeds) {
    this.#needs = needs
    const { clocks, lengthMs, log, meter } = needs
    this.#others = new OtherNodes({ lengthMs, monotonic: clocks.monotonic, log, meter })
  }

  /**
   * Resolves after the first attempt to get the lease; more follow until `stop`. Rejects with a sentence for the
   * operator if another machine holds a lease under this id, or the site was copied elsewhere.
   */
  async start(): Promise<void> {
    const sentence = await this.#renew()
    this.#isStarted = true
    if (sentence === null) return
    await this.stop()
    throw new Error(sentence)
  }

  /** From now on, renews the lease only while `makesProgress`: a node that claims and does not send must lose it. */
  renewWhile(makesProgress: () => boolean): void {
    this.#makesProgress = makesProgress
  }

  /** Calls `listener` whenever this node gets or loses the lease. */
  onHeld(listener: (isHeld: boolean) => void): void {
    this.#holdListeners.push(listener)
  }

  /** Calls `listener` whenever another node starts or its lease ends. */
  onOthers(listener: () => void): void {
    this.#othersListeners.push(listener)
  }

  /** Whether this node has the lease, and may act for the whole site. A drained node keeps it. */
  get isHeld(): boolean {
    return this.#granted !== null && this.leftMs(this.#granted.lease) > 0
  }

  /** The reason why it sends nothing, as a sentence for the operator. Null while it has the lease. */
  get trouble(): string | null {
    return this.isHeld ? null : `this node may not send: ${TROUBLES[this.#cause]}`
  }

  /** The identity for claims and look-ups; null while this node may make none. */
  get node(): SendingNode | null {
    const granted = this.#granted
    if (granted === null || !this.isHeld) return null
    const { lease, isDraining } = granted
    const node = { lease, others: this.#others.leases, settleMs: this.#needs.settleMs }
    return isDraining && this.#others.living.some((other) => !other.isDraining) ? { ...node, isDraining: true } : node
  }

  /** Whether this node does the work that one node does for all. */
  get isHousekeeper(): boolean {
    const token = this.#granted?.lease.token
    return token !== undefined && this.isHeld && this.#others.living.every((other) => other.lease.token > token)
  }

  /** Milliseconds since just before the last renewal; infinite before the first grant. */
  get ageMs(): number {
    if (this.#from === null) return Number.POSITIVE_INFINITY
    const { clocks } = this.#needs
    return Math.max(clocks.monotonic() - this.#from.monotonic, clocks.wall() - this.#from.wall)
  }

  /** Milliseconds for which attempts claimed under `lease` may still be handed to a provider. */
  leftMs(lease: Lease): number {
    if (this.#granted === null || !isSameLease(this.#granted.lease, lease)) return 0
    return Math.max(0, this.#needs.lengthMs - MARGIN_MS - this.ageMs)
  }

  /** Ends the lease, so that others need not wait for it to expire. Call it once nothing is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopRenewing()
    this.#stopWatching()
    this.#granted = null
    // A renewal in flight would extend the lease, or begin another one.
    await this.#asking
    if (this.#token === null) return
    try {
      await this.#needs.store.endLease({ node: this.#needs.identity.id, token: this.#token })
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'could not end the lease; other nodes wait until it expires')
    }
  }

  /** Renews the lease. Returns the reason why this node must not run, or null. */
  async #renew(): Promise<string | null> {
    const { clocks, lengthMs } = this.#needs
    const askedAt = clocks.monotonic()
    const asking = this.#ask()
    this.#asking = asking
    const { isRenewed, refusal } = await asking
    if (this.#isStopped) return null
    this.#watch()
    const pauseMs = isRenewed ? Math.min(lengthMs / RENEWALS, this.#others.firstEndMs) : RETRY_MS
    // From one request to the next, however long the answer took: a lease counts from its request.
    this.#renewIn(Math.max(MIN_WAIT_MS, pauseMs - (clocks.monotonic() - askedAt)))
    return refusal
  }

  /**
   * Renews after `waitMs`, or at once if the lease has ended since: the wall clock was set ahead, or the machine
   * suspended.
   */
  #renewIn(waitMs: number): void {
    const stepMs = Math.min(waitMs, RETRY_MS)
    this.#stopRenewing = this.#needs.clock.after(stepMs, () => {
      if (stepMs === waitMs || !this.isHeld) void this.#renew()
      else this.#renewIn(waitMs - stepMs)
    })
  }

  async #ask(): Promise<{ readonly isRenewed: boolean; readonly refusal: string | null }> {
    const { store, identity, lengthMs, clocks, log } = this.#needs
    const notRenewed = { isRenewed: false, refusal: null }
    try {
      // If the database is unreachable for leases as well, no progress is possible.
      if (this.#others.areReached && !this.#makesProgress()) {
        this.#cause = 'stuck'
        log.error({}, 'nothing is being sent although something is due; the lease is not renewed')
        return notRenewed
      }
      const from = { monotonic: clocks.monotonic(), wall: clocks.wall() }
      const answer = await store.lease(identity, {
        lengthMs,
        // A lease that ended by this node's own clocks is renewed as another one: others may take over its claims.
        token: this.isHeld ? this.#token : null,
        isStart: this.#token === null,
      })
      if ('refused' in answer) {
        const { id } = identity
        const hasLeft = answer.refused === 'left'
        const refusal = hasLeft ? answer.why : `another machine is node ${id}; give this one its own id (node.id)`
        log.error({ nodeId: id }, refusal)
        // The other machine treats this node's claims as its own.
        this.#granted = null
        this.#cause = answer.refused
        if (hasLeft && this.#isStarted) this.#needs.onFatal(new Error(refusal))
        return { isRenewed: false, refusal }
      }
      this.#others.follow(answer)
      this.#token = answer.lease.token
      if (!this.#isStopped) this.#granted = answer
      this.#from = from
      return { isRenewed: true, refusal: null }
    } catch (error) {
      this.#others.lose()
      this.#cause = 'unreachable'
      log.warn({ err: error }, 'could not renew the lease; trying again')
      return notRenewed
    }
  }

  /** Notifies listeners of changes, and schedules the next check. */
  #watch(): void {
    this.#stopWatching()
    const { isHeld } = this
    if (isHeld !== this.#wasHeld) {
      this.#wasHeld = isHeld
      for (const listener of this.#holdListeners) listener(isHeld)
    }
    if (!isHeld) return
    if (this.#others.haveChanged()) for (const listener of this.#othersListeners) listener()
    const nextMs = Math.min(this.leftMs(this.#granted!.lease), this.#others.nextQuietEndMs)
    this.#stopWatching = this.#needs.clock.after(nextMs, () => this.#watch())
  }
}
