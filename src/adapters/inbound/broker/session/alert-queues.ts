type Queue = { running: number; readonly waiting: (() => void)[] }

/**
 * Commits at most `max` alerts of a user at a time; the others wait here in order. The gate bounds how many one
 * connection may have waiting.
 */
export class AlertQueues {
  readonly #max: number
  readonly #byUser = new Map<string, Queue>()

  constructor(max: number) {
    this.#max = max
  }

  /** Settles as `work` does. `work` starts immediately if the user has a free place. */
  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#byUser.get(userId) ?? { running: 0, waiting: [] }
    this.#byUser.set(userId, queue)
    if (queue.running < this.#max) queue.running++
    // A finished run hands over its place.
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
