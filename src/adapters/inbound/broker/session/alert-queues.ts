/** Commits an alert and calls `done` when that has settled. */
type Work = (done: () => void) => void
type Queue = { running: number; readonly waiting: Work[] }

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

  /** Starts `work` as soon as the user has a free place, which may be immediately. */
  run(userId: string, work: Work): void {
    const queue = this.#byUser.get(userId) ?? { running: 0, waiting: [] }
    this.#byUser.set(userId, queue)
    if (queue.running >= this.#max) {
      queue.waiting.push(work)
      return
    }
    queue.running++
    this.#start(userId, queue, work)
  }

  #start(userId: string, queue: Queue, work: Work): void {
    work(() => {
      const next = queue.waiting.shift()
      if (next !== undefined) this.#start(userId, queue, next)
      else if (--queue.running === 0) this.#byUser.delete(userId)
    })
  }
}
