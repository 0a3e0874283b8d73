import { ALARMS, BULK, CALL_BYTES, MAX_SENDING, TELEMETRY_TURN } from '../../shared/commit-limits.ts'
import { FairLane, type Item } from '../../shared/fair-lane.ts'
import type { FlatRow } from '../../shared/telemetry-row.ts'
import { ruleOf, type WriteCall } from '../writes.ts'

/**
 * Outcomes wait this long while claims do: a message leaves after its own claim, and not after another one's outcome.
 * From then on they get half of each commit, so that an endless stream of claims cannot make messages look abandoned.
 */
export const MAX_OUTCOME_WAIT_MS = 250
/** Outcomes that have not waited that long share a commit of this many calls: claims that come next wait for few. */
const FEW = 16
const EVERYTHING = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

export const bytesOf = ([name, , args]: WriteCall): number => ruleOf(name).bytes?.(...args) ?? CALL_BYTES
export const senderOf = ([name, , args]: WriteCall): string => ruleOf(name).sender?.(...args) ?? ''

/** A call waiting for a commit, and a telemetry row. `handedInAt`: on the clock of `performance.now()`. */
type CallItem = Item & { readonly call: WriteCall; readonly handedInAt: number }
type RowItem = Item & { readonly row: FlatRow }

/** The writes of one commit: its calls come before its telemetry rows, which cross to the writer packed. */
export type CommitBatch<C, R> = { readonly calls: readonly C[]; readonly rows: readonly R[] }

/**
 * The writes waiting for a commit. In each lane senders take turns; the lanes do not: the first is in every commit, and
 * the others at least in every second. The first lane holds the writes that a caller is waiting for, beside it are the
 * dispatcher's claims and outcomes, and the second lane holds bulk writes. All are bounded, in memory too: a hung disk
 * must not end the process. Bulk writes are refused first, then everything that is not an alarm, and alarms only when
 * nothing else is accepted (limits.md#users-and-trackers).
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

  /** Bytes of all waiting calls but bulk writes. */
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
      // Writes handed in before use the clock of that time, and later ones do not.
      for (const lane of [this.#claims, this.#outcomes]) {
        for (const earlier of lane.take(EVERYTHING)) this.#first.add(earlier)
      }
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

  #takeSending(now: number): C[] {
    const { next } = this.#outcomes
    const isLate = next !== undefined && now - next.handedInAt >= MAX_OUTCOME_WAIT_MS
    const kept = isLate ? Math.min(this.#outcomes.length, MAX_SENDING / 2) : 0
    const calls = this.#claims.take({ ...ALARMS, items: MAX_SENDING - kept })
    const left = (isLate ? MAX_SENDING : FEW) - calls.length
    return left > 0 ? [...calls, ...this.#outcomes.take({ ...ALARMS, items: left })] : calls
  }

  /**
   * The next batch. Calls of the first lane get a separate commit, so that no alarm waits for claims, outcomes or rows.
   * Every second time those join them: an endless stream of calls must not hold them up. `now`: as `handedInAt`.
   */
  take(now: number): CommitBatch<C, R> {
    const calls = this.#first.take(this.#setsClock ? EVERYTHING : ALARMS)
    this.#setsClock = false
    this.#sendingWaits = calls.length > 0 && this.#sendingLength > 0 && !this.#sendingWaits
    if (!this.#sendingWaits) calls.push(...this.#takeSending(now))
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
    return [this.#first, this.#claims, this.#outcomes, this.#second].flatMap((lane) => lane.take(EVERYTHING))
  }
}
