import { RoundRobin } from '../../../lib/round-robin.ts'

/** An item waiting in a lane. */
export type Item = {
  /** Its sender; senders take turns. */
  readonly sender: string
  /** The approximate memory that it holds. */
  readonly bytes: number
}

/** Limits on one batch. */
export type Limits<T = Item> = {
  readonly items: number
  readonly bytes: number
  /** Items of one sender. Those without one are the service's own, and as many as there are. */
  readonly itemsOfOne?: number
  /** Items to skip this time, with everything queued behind them by the same sender. */
  readonly isBusy?: (item: T) => boolean
}

/** The waiting items of one sender. */
class Backlog<T extends Item> {
  readonly #items: T[] = []
  #next = 0
  #bytes = 0

  get length(): number {
    return this.#items.length - this.#next
  }

  get bytes(): number {
    return this.#bytes
  }

  get first(): T | undefined {
    return this.#items[this.#next]
  }

  push(item: T): void {
    this.#items.push(item)
    this.#bytes += item.bytes
  }

  shift(): T | undefined {
    const item = this.first
    if (item === undefined) return undefined
    this.#next += 1
    this.#bytes -= item.bytes
    // Only now and then: moving the rest each time would be quadratic.
    if (this.length > 0 && this.#next * 2 >= this.#items.length) {
      this.#items.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }
}

/**
 * A fair queue: `turn` items of one sender, then as many of the next, so that no sender waits behind another's backlog.
 * One sender's items keep their order.
 */
export class FairLane<T extends Item> {
  readonly #turn: number
  readonly #backlogs = new RoundRobin<T, Backlog<T>>(() => new Backlog())
  #length = 0
  #bytes = 0

  constructor(turn: number) {
    this.#turn = turn
  }

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The item whose turn is next. */
  get next(): T | undefined {
    const [first] = this.#backlogs
    return first?.[1].first
  }

  bytesOf(sender: string): number {
    return this.#backlogs.get(sender)?.bytes ?? 0
  }

  add(item: T): void {
    this.#backlogs.of(item.sender).push(item)
    this.#length += 1
    this.#bytes += item.bytes
  }

  /** Takes what the limits allow, but always at least one item, however large, unless every one is busy. */
  take({ items: max, bytes: maxBytes, itemsOfOne = max, isBusy = none }: Limits<T>): T[] {
    const taken: T[] = []
    const given = itemsOfOne < max ? new Map<string, number>() : null
    let bytes = 0
    // A sender whose turn is over moves to the end, where this loop meets it again.
    for (const [sender, backlog] of this.#backlogs) {
      if (taken.length === max) break
      const before = given?.get(sender) ?? 0
      const left = (sender === '' ? max : itemsOfOne) - before
      const turn = Math.min(this.#turn, left, max - taken.length, backlog.length)
      if (turn === 0 || isBusy(backlog.first!)) continue
      given?.set(sender, before + turn)
      for (let n = 0; n < turn; n += 1) {
        const item = backlog.first!
        if (isBusy(item)) break
        // The sender stays first: its turn is not over.
        if (taken.length > 0 && bytes + item.bytes > maxBytes) return taken
        backlog.shift()
        bytes += item.bytes
        this.#length -= 1
        this.#bytes -= item.bytes
        taken.push(item)
      }
      this.#backlogs.pass(sender, backlog)
    }
    return taken
  }
}

const none = (): boolean => false
