/** Pages written concurrently, for all users together; this bounds their cost. */
export const MAX_READERS = 8
/** A user reads one page at a time; this many more of their requests may wait. */
const MAX_WAITING_PER_USER = 4
const MAX_WAITING = 100
/** The longest wait of a request. */
const TIMEOUT_MS = 10_000
/** A reader who takes longer than this is ended once others wait. A hundred long trails take a phone some seconds. */
const SLOW_MS = 30_000

type Reader = { readonly userId: string; readonly since: number; readonly end: () => void }
type Waiting = { readonly reader: Omit<Reader, 'since'>; readonly admit: (leave: (() => void) | null) => void }

/** Lets a few users read long pages concurrently, one page per user. */
export class PageReaders {
  readonly #now: () => number
  readonly #timeoutMs: number
  readonly #reading = new Map<string, Reader>()
  readonly #waiting = new Set<Waiting>()

  /** `now`: monotonic milliseconds. */
  constructor({ now = () => performance.now(), timeoutMs = TIMEOUT_MS } = {}) {
    this.#now = now
    this.#timeoutMs = timeoutMs
  }

  /**
   * Waits for a place. Resolves to a function to call when the page is written or its reader is gone; null if the wait
   * was too long or too many requests wait already. `end`: ends a slow reader while others wait.
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
      const timer = setTimeout(() => waiting.admit(null), this.#timeoutMs).unref()
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

  /** The first has been reading longest. */
  #endSlow(): void {
    const [longest] = this.#reading.values()
    if (longest !== undefined && this.#now() - longest.since >= SLOW_MS) longest.end()
  }
}
