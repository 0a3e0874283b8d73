import type { FlatRow } from '../telemetry/telemetry-row.ts'
import { ruleOf, type WriteCall } from '../writes.ts'
import { FairLane, type Item } from './fair-lane.ts'
import { CALL_BYTES } from './write.ts'

/** Calls of one user in a commit. The service's own, such as what it puts in the outbox, are not limited. */
export const MAX_CALLS_OF_ONE = 8
/**
 * An alert waits for the batch in front of it and for its own. Both stay short beside a flooder, whose alerts cost the
 * writer about a millisecond each.
 */
const MAX_FIRST = { items: 250, bytes: 4 * 1024 * 1024, itemsOfOne: MAX_CALLS_OF_ONE }
/** A batch of these takes a few milliseconds. */
const MAX_SECOND = { items: 500, bytes: 1024 * 1024 }
const EVERYTHING = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
/** Rows of one user are adjacent in the file, so writing a few in a row is faster than alternating users. */
const TELEMETRY_TURN = 8

export const bytesOf = ([name, , args]: WriteCall): number => ruleOf(name).bytes?.(...args) ?? CALL_BYTES
export const senderOf = ([name, , args]: WriteCall): string => ruleOf(name).sender?.(...args) ?? ''

/** The writes of one commit: its calls come before its telemetry rows, which cross to the writer packed. */
export type CommitBatch<T> = { readonly calls: readonly T[]; readonly rows: readonly T[] }

const ROW = 'appendTelemetry'
export const rowCall = (row: FlatRow): WriteCall => [ROW, 0, row]
export const rowIn = ([, , args]: WriteCall): FlatRow => args as unknown as FlatRow

/**
 * The writes waiting for a commit. The first lane holds the writes that a caller is waiting for, the second holds bulk
 * writes. Both are bounded, in memory too: a hung disk must not end the process. Bulk writes are refused first, then
 * everything that is not an alarm, and alarms only when nothing else is accepted any more (rules.md#reserve).
 */
export class CommitLanes<T extends Item & { readonly call: WriteCall }> {
  readonly #maxBytes: number
  readonly #first = new FairLane<T>(1)
  readonly #second = new FairLane<T>(TELEMETRY_TURN)
  /** The last batch left the second lane out. */
  #secondWaits = false

  /** `maxBytes`: the bytes that may wait in the second lane. Above half of that, senders are held back. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#first.length + this.#second.length
  }

  /** Whether this sender should hold its telemetry back: too much is waiting here, from this sender or in total. */
  isCongested(sender: string): boolean {
    return (
      this.#second.bytes > this.#maxBytes / 2 ||
      this.#first.bytes > this.#maxBytes / 2 ||
      this.#second.bytesOf(sender) > this.#maxBytes / 8
    )
  }

  /** False: there is no room. */
  add(item: T): boolean {
    const rule = ruleOf(item.call[0])
    const isSecond = rule.lane === 'bulk'
    if (isSecond && this.#first.bytes > this.#maxBytes / 2) return false
    const lane = isSecond ? this.#second : this.#first
    const room = rule.lane === 'alarm' ? 2 * this.#maxBytes : this.#maxBytes
    if (lane.length > 0 && lane.bytes + item.bytes > room) return false
    if (lane.bytesOf(item.sender) > this.#maxBytes / 4 && item.sender !== '') return false
    lane.add(item)
    return true
  }

  /**
   * The next batch. Calls of the first lane get a commit of their own, so that no alarm waits for rows beside it.
   * Every second time the second lane joins them: an endless stream of calls must not hold it up.
   */
  take(): CommitBatch<T> {
    const calls = this.#first.take(MAX_FIRST)
    this.#secondWaits = calls.length > 0 && this.#second.length > 0 && !this.#secondWaits
    const rows: T[] = []
    if (this.#secondWaits) return { calls, rows }
    for (const item of this.#second.take(MAX_SECOND)) {
      if (item.call[0] === ROW) rows.push(item)
      else calls.push(item)
    }
    return { calls, rows }
  }

  /** Empties both lanes, when the queue ends. */
  drain(): T[] {
    const all = (lane: FairLane<T>): T[] => lane.take(EVERYTHING)
    return [...all(this.#first), ...all(this.#second)]
  }
}
