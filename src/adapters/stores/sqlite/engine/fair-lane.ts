/** An item waiting in a lane. */
export type Item = {
  /** Its sender; senders take turns. */
  readonly sender: string
  /** The approximate memory that it holds. */
  readonly bytes: number
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

  /** Takes at most `max` items with at most `maxBytes` in total, but always at least one, however large. */
  take(max: number, maxBytes: number): T[] {
    const taken: T[] = []
    let bytes = 0
    while (taken.length < max && this.#length > 0) {
      const [sender, backlog] = this.#backlogs.entries().next().value!
      for (let left = this.#turn; left > 0 && taken.length < max && backlog.next < backlog.items.length; left -= 1) {
        const item = backlog.items[backlog.next]!
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

/** Drops taken items only now and then: moving the rest each time would be quadratic. */
function trimmed<T>(backlog: Backlog<T>): Backlog<T> {
  if (backlog.next * 2 < backlog.items.length) return backlog
  backlog.items.splice(0, backlog.next)
  backlog.next = 0
  return backlog
}
