/** What waits in a lane. */
export type Item = {
  /** Who handed it in: each sender gets a turn. */
  readonly sender: string
  /** About what it holds in memory. */
  readonly bytes: number
}

type Backlog<T> = { items: T[]; next: number; bytes: number }

/**
 * Items that wait, taken in turns: `turn` items of one sender, then as many of the next, so that nobody waits behind
 * somebody else's backlog. One sender's items keep their order.
 */
export class FairLane<T extends Item> {
  readonly #turn: number
  /** By sender; whose turn is next comes first. */
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

  /** At most `max` items of together at most `maxBytes`; always one, however large. */
  take(max: number, maxBytes: number): T[] {
    const taken: T[] = []
    let bytes = 0
    while (taken.length < max && this.#length > 0) {
      const [sender, backlog] = this.#backlogs.entries().next().value!
      for (let left = this.#turn; left > 0 && taken.length < max && backlog.next < backlog.items.length; left -= 1) {
        const item = backlog.items[backlog.next]!
        // The sender stays the first: its turn is not over.
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

/** What was taken is let go of, now and then: moving the rest each time would be quadratic. */
function trimmed<T>(backlog: Backlog<T>): Backlog<T> {
  if (backlog.next * 2 < backlog.items.length) return backlog
  backlog.items.splice(0, backlog.next)
  backlog.next = 0
  return backlog
}
