type Queue = { running: number; readonly waiting: (() => void)[] }

/**
 * Lets at most `max` alerts of a user be committed at a time; the others wait here in order. What one connection may
 * have waiting is bounded at its gate.
 */
export class AlertQueues {
  readonly #max: number
  readonly #byUser = new Map<string, Queue>()

  constructor(max: number) {
    this.#max = max
  }

  /** Settles as `work` does, which begins at once where the user has a place left. */
  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#byUser.get(userId) ?? { running: 0, waiting: [] }
    this.#byUser.set(userId, queue)
    if (queue.running < this.#max) queue.running++
    // The one that ends hands its place on.
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.waiting.shift()
      if (next !== undefined) next()
      else if (--queue.running === 0) this.#byUser.delete(userId)
    }
  }
}
