/** An item waiting in a lane. */
export type Item = {
  /** Its sender; senders take turns. */
  readonly sender: string
  /** The approximate memory that it holds. */
  readonly bytes: number
}

/** What is taken at a time. */
export type Limits<T = Item> = {
  readonly items: number
  readonly bytes: number
  /** Items of one sender. Those without one are the service's own, and as many as there are. */
  readonly itemsOfOne?: number
  /** Items to skip this time, with everything queued behind them by the same sender. */
  readonly isBusy?: (item: T) => boolean
}

type Backlog<T> = { items: T[]; next: number; bytes: number }

/**
 * A fair queue: `turn` items of one sender, then as many of the next, so that no sender waits behind another's backlog.
 * One sender's items keep their order.
 */
export class FairLane<T extends Item> {
  readonly #turn: number
  /** By sender; the one whose turn is next comes first. */
  readonly #backlogs = new Map<string, Backlog<T>>()
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
    const [backlog] = this.#backlogs.values()
    return backlog?.items[backlog.next]
  }

  bytesOf(sender: string): number {
    return this.#backlogs.get(sender)?.bytes ?? 0
  }

  add(item: T): void {
    const backlog = this.#backlogs.get(item.sender)
    if (backlog === undefined) this.#backlogs.set(item.sender, { items: [item], next: 0, bytes: item.bytes })
    else {
      backlog.items.push(item)
      backlog.bytes += item.bytes
    }
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
      const turn = Math.min(this.#turn, left, max - taken.length, backlog.items.length - backlog.next)
      if (turn === 0 || isBusy(backlog.items[backlog.next]!)) continue
      given?.set(sender, before + turn)
      for (let n = 0; n < turn; n += 1) {
        const item = backlog.items[backlog.next]!
        if (isBusy(item)) break
        // The sender stays first: its turn is not over.
        if (taken.length > 0 && bytes + item.bytes > maxBytes) return taken
        backlog.next += 1
        backlog.bytes -= item.bytes
        bytes += item.bytes
        this.#length -= 1
        this.#bytes -= item.bytes
        taken.push(item)
      }
      this.#backlogs.delete(sender)
      if (backlog.next < backlog.items.length) this.#backlogs.set(sender, trimmed(backlog))
    }
    return taken
  }
}

const none = (): boolean => false

/** Drops taken items only now and then: moving the rest each time would be quadratic. */
function trimmed<T>(backlog: Backlog<T>): Backlog<T> {
  if (backlog.next * 2 < backlog.items.length) return backlog
  backlog.items.splice(0, backlog.next)
  backlog.next = 0
  return backlog
}
