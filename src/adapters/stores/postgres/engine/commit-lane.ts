import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { StoreError } from '../../../../ports/store.ts'
import { FairLane } from '../../shared/fair-lane.ts'
import type { Connection } from './connection.ts'
import { failed, failureOf, toStoreError } from './failure.ts'
import type { Pool } from './pool.ts'

/**
 * The outcome of one call of a batch. `again`: it was based on outdated rows, has changed nothing, and must run again.
 */
export type CallOutcome<R> = { readonly result: R } | { readonly failed: unknown } | 'again'

export type LaneRules<C, R> = {
  readonly pool: Pool
  /** Batches in flight; the pool has a session for each. */
  readonly atOnce: number
  /** Limits of one batch. */
  readonly batch: { readonly items: number; readonly bytes: number; readonly itemsOfOne?: number }
  /** Calls of a sender in a row. */
  readonly turn: number
  /** Bytes that may wait, and a quarter of that for one sender. */
  readonly maxBytes: number
  /**
   * Runs one batch as one transaction. If it throws, nothing of the batch is stored, or the outcome is unknown. `slot`:
   * below `atOnce`, used by no other batch in flight.
   */
  readonly run: (connection: Connection, calls: readonly C[], slot: number) => Promise<readonly CallOutcome<R>[]>
  /** Resolves when nothing more important waits. */
  readonly turnComes?: () => Promise<void>
}

type LaneNeeds = {
  readonly log: Log
  readonly meter: Meter
  /** Hears of every write that was refused. */
  readonly onRefused?: (error: StoreError) => void
}

/** The facts about a call that a lane needs. */
type About = {
  /** The sender whose turn it takes; '' for the service's own. */
  readonly sender: string
  readonly bytes: number
  /** The row that it locks, if known. By default its sender. */
  readonly lock?: string
}

type Item<C, R> = Required<About> & {
  readonly call: C
  readonly handedInAt: number
  readonly settle: (result: R | StoreError) => void
}

/** Retries of a batch after a deadlock, and of a call whose owner has changed meanwhile. */
const MAX_TRIES = 5

/**
 * Group commit: gathers calls into batches, each of which is one transaction. Several are in flight, a sender is in one
 * at a time, and so is a lock: no more than one batch waits for it. Senders take turns. Each lane has its own sessions,
 * so nothing in another lane holds it up.
 */
export class CommitLane<C, R> {
  readonly #rules: LaneRules<C, R>
  readonly #parts: LaneNeeds
  readonly #waiting: FairLane<Item<C, R>>
  /** Senders and locks of the batches in flight. */
  readonly #busy = new Set<string>()
  readonly #freeSlots: number[]
  #scheduled = false
  #isClosed = false
  #idle: PromiseWithResolvers<void> | null = null

  constructor(rules: LaneRules<C, R>, parts: LaneNeeds) {
    this.#rules = rules
    this.#parts = parts
    this.#waiting = new FairLane(rules.turn)
    this.#freeSlots = Array.from({ length: rules.atOnce }, (_, slot) => slot)
  }

  /** Calls `settle` once, after the commit. */
  submit(call: C, { sender, bytes, lock = sender }: About, settle: Item<C, R>['settle']): void {
    if (this.#isClosed) {
      this.#refuse({ settle }, failed('closed'))
      return
    }
    const { maxBytes } = this.#rules
    const isFull = this.#waiting.length > 0 && this.#waiting.bytes + bytes > maxBytes
    const isFlooded = sender !== '' && this.#waiting.bytesOf(sender) > maxBytes / 4
    if (isFull || isFlooded) {
      this.#refuse({ settle }, failed('overloaded'))
      return
    }
    this.#waiting.add({ call, sender, bytes, lock, handedInAt: performance.now(), settle })
    this.#schedule()
  }

  /** As `submit`, for a promise. */
  write(call: C, about: About): Promise<R> {
    return new Promise((resolve, reject) => {
      this.submit(call, about, (result) => {
        if (result instanceof StoreError) reject(result)
        else resolve(result)
      })
    })
  }

  /** Whether this sender must wait: too much is waiting already, its own or in total. */
  isCongested(sender: string): boolean {
    const { maxBytes } = this.#rules
    return this.#waiting.bytes > maxBytes / 2 || this.#waiting.bytesOf(sender) > maxBytes / 8
  }

  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve()
    this.#idle ??= Promise.withResolvers()
    return this.#idle.promise
  }

  /** Commits everything submitted, refuses the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.idle()
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#freeSlots.length === this.#rules.atOnce
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // Everything that arrives in this turn of the event loop joins the batch.
    setImmediate(() => {
      this.#scheduled = false
      this.#next()
    })
  }

  #next(): void {
    const { batch } = this.#rules
    while (this.#freeSlots.length > 0) {
      const items = this.#waiting.take({
        ...batch,
        isBusy: ({ sender, lock }) => this.#busy.has(sender) || this.#busy.has(lock),
      })
      if (items.length === 0) break
      void this.#commit(items)
    }
    if (this.#idle === null || !this.#isIdle()) return
    this.#idle.resolve()
    this.#idle = null
  }

  async #commit(items: readonly Item<C, R>[]): Promise<void> {
    const slot = this.#freeSlots.pop()!
    const names = new Set(items.flatMap(({ sender, lock }) => [sender, lock]).filter((name) => name !== ''))
    for (const name of names) this.#busy.add(name)
    await this.#rules.turnComes?.()
    await this.#settle(items, slot)
    this.#parts.meter.observe('commit_seconds', (performance.now() - oldestOf(items)) / 1000)
    for (const name of names) this.#busy.delete(name)
    this.#freeSlots.push(slot)
    this.#next()
  }

  /** Runs the batch until each of its calls is settled. Never rejects. */
  async #settle(items: readonly Item<C, R>[], slot: number): Promise<void> {
    let left = items
    for (let tries = 1; left.length > 0; tries += 1) {
      try {
        left = this.#settled(left, await this.#run(left, slot), tries < MAX_TRIES)
      } catch (error) {
        const { kind, concernsAll, isPassing } = failureOf(error)
        if (isPassing && tries < MAX_TRIES) continue
        // The session may be long dead, and the next one may find another primary.
        if (kind === 'unreachable' && tries === 1) continue
        if (!concernsAll && left.length > 1) return this.#oneByOne(left, slot)
        return this.#refuseAll(left, error)
      }
    }
  }

  /** Runs each call alone, so that a faulty one does not fail its neighbours. */
  async #oneByOne(items: readonly Item<C, R>[], slot: number): Promise<void> {
    const blocked = new Map<string, unknown>()
    for (const [place, item] of items.entries()) {
      const known = blocked.get(item.lock)
      if (known !== undefined) {
        this.#refuse(item, toStoreError(known))
        continue
      }
      try {
        this.#settled([item], await this.#run([item], slot), false)
      } catch (error) {
        const { kind, concernsAll } = failureOf(error)
        if (concernsAll) return this.#refuseAll(items.slice(place), error)
        // Each further call would wait for the same lock.
        if (kind === 'busy' && item.lock !== '') blocked.set(item.lock, error)
        this.#refuse(item, toStoreError(error))
      }
    }
  }

  #run(items: readonly Item<C, R>[], slot: number): Promise<readonly CallOutcome<R>[]> {
    const calls = items.map(({ call }) => call)
    return this.#rules.pool.use((connection) => this.#rules.run(connection, calls, slot))
  }

  /** Settles the calls that have an outcome, and returns the others, which are to be run again. */
  #settled(
    items: readonly Item<C, R>[],
    outcomes: readonly CallOutcome<R>[],
    mayRepeat: boolean,
  ): readonly Item<C, R>[] {
    return items.filter((item, place) => {
      const outcome = outcomes[place]!
      if (outcome === 'again') {
        if (mayRepeat) return true
        this.#refuse(item, new StoreError('the owner of its device kept changing', 'busy'))
      } else if ('failed' in outcome) this.#refuse(item, toStoreError(outcome.failed))
      else item.settle(outcome.result)
      return false
    })
  }

  #refuse({ settle }: Pick<Item<C, R>, 'settle'>, error: StoreError): void {
    this.#parts.meter.count('store_failures_total', { kind: error.kind })
    this.#parts.onRefused?.(error)
    settle(error)
  }

  #refuseAll(items: readonly Item<C, R>[], error: unknown): void {
    const refused = toStoreError(error)
    const { kind, message } = refused
    this.#parts.meter.count('store_failures_total', { kind })
    this.#parts.onRefused?.(refused)
    this.#parts.log.error({ kind, writes: items.length, error: message }, 'a commit failed')
    for (const { settle } of items) settle(refused)
  }
}

const oldestOf = (items: readonly { readonly handedInAt: number }[]): number =>
  items.reduce((earliest, { handedInAt }) => Math.min(earliest, handedInAt), Number.POSITIVE_INFINITY)
