import { ruleOf, type WriteCall } from '../writes.ts'
import { FairLane, type Item } from './fair-lane.ts'
import { CALL_BYTES } from './write.ts'

/** A batch is over in a few milliseconds, so that an alert never waits for longer than that behind telemetry. */
const MAX_FIRST = { writes: 250, bytes: 4 * 1024 * 1024 }
const MAX_SECOND = { writes: 500, bytes: 1024 * 1024 }
/** Rows of one user lie side by side in the file: a few in a row are written faster than one each. */
const TELEMETRY_TURN = 8

export const bytesOf = ([name, , args]: WriteCall): number => ruleOf(name).bytes?.(...args) ?? CALL_BYTES
export const senderOf = ([name, , args]: WriteCall): string => ruleOf(name).sender?.(...args) ?? ''

/**
 * The writes that wait for a commit. The first lane has everything that somebody waits for, the second one what gives
 * way. What waits is bounded, in memory too: a disk that hangs must not end the process. What gives way is refused
 * first, then what is no alarm, and an alarm only when nothing else is taken in any more. rules.md#reserve.
 */
export class CommitLanes<T extends Item & { readonly call: WriteCall }> {
  readonly #maxBytes: number
  readonly #first = new FairLane<T>(1)
  readonly #second = new FairLane<T>(TELEMETRY_TURN)

  /** `maxBytes`: what may wait in the second lane. Half of that is where senders are held back. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#first.length + this.#second.length
  }

  /**
   * Whether this sender's telemetry had better wait where it is: too much does here, the sender's own or everybody's.
   */
  isCongested(sender: string): boolean {
    return (
      this.#second.bytes > this.#maxBytes / 2 ||
      this.#first.bytes > this.#maxBytes / 2 ||
      this.#second.bytesOf(sender) > this.#maxBytes / 8
    )
  }

  /** False: there is no room for it. */
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

  /** The next batch: everything that somebody waits for before what gives way. */
  take(): T[] {
    const first = this.#first.take(MAX_FIRST.writes, MAX_FIRST.bytes)
    return [...first, ...this.#second.take(MAX_SECOND.writes, MAX_SECOND.bytes)]
  }

  /** Everything at once, for the end. */
  drain(): T[] {
    const all = (lane: FairLane<T>): T[] => lane.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
    return [...all(this.#first), ...all(this.#second)]
  }
}
