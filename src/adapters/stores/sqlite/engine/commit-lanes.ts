import { ALARMS, BULK, CALL_BYTES, MAX_SENDING, TELEMETRY_TURN } from '../../shared/commit-limits.ts'
import { FairLane, type Item, type Limits } from '../../shared/fair-lane.ts'
import type { FlatRow } from '../../shared/telemetry-row.ts'
import { ruleOf, type WriteCall } from '../writes.ts'

/**
 * An alert may wait for one commit of the dispatcher's calls. Claims go first, because a message leaves after its
 * claim, but outcomes always get some room.
 */
const MIN_OUTCOMES = 8
const EVERYTHING = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

export const bytesOf = ([name, , args]: WriteCall): number => ruleOf(name).bytes?.(...args) ?? CALL_BYTES
export const senderOf = ([name, , args]: WriteCall): string => ruleOf(name).sender?.(...args) ?? ''

/** A call waiting for a commit, and a telemetry row. */
type CallItem = Item & { readonly call: WriteCall }
type RowItem = Item & { readonly row: FlatRow }

/** The writes of one commit: its calls come before its telemetry rows, which cross to the writer packed. */
export type CommitBatch<C, R> = { readonly calls: readonly C[]; readonly rows: readonly R[] }

/**
 * The writes waiting for a commit. The first lane holds the writes that a caller is waiting for, beside it are the
 * dispatcher's claims and outcomes, and the second lane holds bulk writes. All are bounded, in memory too: a hung disk
 * must not end the process. Bulk writes are refused first, then everything that is not an alarm, and alarms only when
 * nothing else is accepted any more (rules.md#reserve).
 */
export class CommitLanes<C extends CallItem, R extends RowItem> {
  readonly #maxBytes: number
  readonly #first = new FairLane<C>(1)
  readonly #claims = new FairLane<C>(1)
  readonly #outcomes = new FairLane<C>(1)
  readonly #second = new FairLane<C | R>(TELEMETRY_TURN)
  /** The last batch left claims and outcomes out. */
  #sendingWaits = false
  /** A call in the first lane changes the clock. */
  #setsClock = false
  /** The last batch left the second lane out. */
  #secondWaits = false

  /** `maxBytes`: the bytes that may wait in the second lane. Above half of that, senders are held back. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#first.length + this.#sendingLength + this.#second.length
  }

  get #sendingLength(): number {
    return this.#claims.length + this.#outcomes.length
  }

  /** Of everything but bulk writes. */
  get #callBytes(): number {
    return this.#first.bytes + this.#claims.bytes + this.#outcomes.bytes
  }

  /** Whether this sender should hold its telemetry back: too much is waiting here, from this sender or in total. */
  isCongested(sender: string): boolean {
    return (
      this.#second.bytes > this.#maxBytes / 2 ||
      this.#callBytes > this.#maxBytes / 2 ||
      this.#second.bytesOf(sender) > this.#maxBytes / 8
    )
  }

  /** False: there is no room. */
  add(item: C | R): boolean {
    if (!('call' in item)) return this.#addBulk(item)
    const rule = ruleOf(item.call[0])
    if (rule.lane === 'bulk') return this.#addBulk(item)
    const lane = this.#laneOf(item)
    const room = rule.lane === 'alarm' ? 2 * this.#maxBytes : this.#maxBytes
    if (!this.#fits(item, lane, { waiting: this.#callBytes, room })) return false
    if (rule.setsClock) {
      // What was handed in before is in the clock of that time, and what comes later is not.
      for (const earlier of this.#takeSending(EVERYTHING)) this.#first.add(earlier)
      this.#setsClock = true
    }
    lane.add(item)
    return true
  }

  #addBulk(item: C | R): boolean {
    const lane = this.#second
    if (this.#callBytes > this.#maxBytes / 2) return false
    if (!this.#fits(item, lane, { waiting: lane.bytes, room: this.#maxBytes })) return false
    lane.add(item)
    return true
  }

  /** `waiting`: the bytes that share this `room`. */
  #fits(
    { sender, bytes }: Item,
    lane: Pick<FairLane<Item>, 'bytesOf'>,
    { waiting, room }: { readonly waiting: number; readonly room: number },
  ): boolean {
    if (waiting > 0 && waiting + bytes > room) return false
    return sender === '' || lane.bytesOf(sender) <= this.#maxBytes / 4
  }

  #laneOf({ call: [name, , args] }: C): FairLane<C> {
    const step = ruleOf(name).step?.(...args) ?? null
    return step === null ? this.#first : step === 'claim' ? this.#claims : this.#outcomes
  }

  #takeSending({ items, ...limits }: Limits): C[] {
    const claims = this.#claims.take({ items, ...limits })
    return [...claims, ...this.#outcomes.take({ ...limits, items: Math.max(MIN_OUTCOMES, items - claims.length) })]
  }

  /**
   * The next batch. Calls of the first lane get a separate commit, so that no alarm waits for claims, outcomes or rows.
   * Every second time those join them: an endless stream of calls must not hold them up.
   */
  take(): CommitBatch<C, R> {
    const calls = this.#first.take(this.#setsClock ? EVERYTHING : ALARMS)
    this.#setsClock = false
    this.#sendingWaits = calls.length > 0 && this.#sendingLength > 0 && !this.#sendingWaits
    if (!this.#sendingWaits) calls.push(...this.#takeSending({ ...ALARMS, items: MAX_SENDING }))
    this.#secondWaits = calls.length > 0 && this.#second.length > 0 && !this.#secondWaits
    const rows: R[] = []
    if (this.#secondWaits) return { calls, rows }
    for (const item of this.#second.take(BULK)) {
      if ('call' in item) calls.push(item)
      else rows.push(item)
    }
    return { calls, rows }
  }

  /** Empties all lanes, when the queue ends. */
  drain(): (C | R)[] {
    return [...this.#first.take(EVERYTHING), ...this.#takeSending(EVERYTHING), ...this.#second.take(EVERYTHING)]
  }
}
