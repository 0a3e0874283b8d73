/** Pages that are written at the same time, for everybody together: what it costs to make them is bounded by that. */
export const MAX_READERS = 8
/** A user reads one at a time; so many more requests of theirs may wait. */
const MAX_WAITING_PER_USER = 4
const MAX_WAITING = 100
/** How long a request waits. */
const PATIENCE_MS = 10_000
/**
 * Whoever has been reading for so long goes as soon as others wait. A hundred long trails take a phone some seconds.
 */
const SLOW_MS = 30_000

type Reader = { readonly userId: string; readonly since: number; readonly end: () => void }
type Waiting = { readonly reader: Omit<Reader, 'since'>; readonly admit: (leave: (() => void) | null) => void }

/** Lets few read long pages at once, and each user one. */
export class PageReaders {
  readonly #now: () => number
  readonly #patienceMs: number
  readonly #reading = new Map<string, Reader>()
  readonly #waiting = new Set<Waiting>()

  /** `now`: monotonic milliseconds. */
  constructor({ now = () => performance.now(), patienceMs = PATIENCE_MS } = {}) {
    this.#now = now
    this.#patienceMs = patienceMs
  }

  /**
   * Waits for a place. Gives what to call when the page is written, or nobody reads it any more; null where the wait
   * was too long or too many wait already. `end`: ends a reader who is slow while others wait.
   */
  async enter(userId: string, end: () => void): Promise<(() => void) | null> {
    const reader = { userId, end }
    if (this.#hasRoomFor(userId)) return this.#admit(reader)
    const own = [...this.#waiting].filter((waiting) => waiting.reader.userId === userId)
    if (own.length >= MAX_WAITING_PER_USER || this.#waiting.size >= MAX_WAITING) return null
    return new Promise((admit) => {
      const waiting: Waiting = {
        reader,
        admit: (leave) => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          admit(leave)
        },
      }
      const timer = setTimeout(() => waiting.admit(null), this.#patienceMs).unref()
      this.#waiting.add(waiting)
      this.#endSlow()
    })
  }

  #hasRoomFor(userId: string): boolean {
    return this.#reading.size < MAX_READERS && !this.#reading.has(userId)
  }

  #admit({ userId, end }: Omit<Reader, 'since'>): () => void {
    const reader: Reader = { userId, end, since: this.#now() }
    this.#reading.set(userId, reader)
    return () => {
      if (this.#reading.get(userId) !== reader) return
      this.#reading.delete(userId)
      for (const waiting of this.#waiting) {
        if (this.#hasRoomFor(waiting.reader.userId)) waiting.admit(this.#admit(waiting.reader))
      }
    }
  }

  /** The first one is the one that has been reading for longest. */
  #endSlow(): void {
    const [longest] = this.#reading.values()
    if (longest !== undefined && this.#now() - longest.since >= SLOW_MS) longest.end()
  }
}
