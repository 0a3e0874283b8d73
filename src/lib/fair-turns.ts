type Options = {
  /** Pieces of work that run at once. */
  readonly atOnce: number
  /** Pieces of one caller that wait. A further one is refused. */
  readonly maxWaiting: number
}

/**
 * Runs a bounded number of pieces of work at once. Callers take turns, one piece each, so that no caller waits behind
 * another's backlog. One caller's pieces keep their order.
 */
export class FairTurns {
  readonly #options: Options
  /** What starts the pieces that wait, by caller; the one whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #running = 0

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * The result of `work`, once it was its turn. Null, at once: too much of this caller waits. `isGoingOn`: part of
   * something that has begun, which waits however much else does. Rejects as `work` does.
   */
  async run<R>(
    caller: string,
    work: () => Promise<R>,
    { isGoingOn = false }: { readonly isGoingOn?: boolean } = {},
  ): Promise<R | null> {
    if (this.#running < this.#options.atOnce) this.#running += 1
    else {
      const before = this.#waiting.get(caller) ?? []
      if (before.length >= this.#options.maxWaiting && !isGoingOn) return null
      this.#waiting.set(caller, before)
      await new Promise<void>((begin) => before.push(begin))
    }
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  #passOn(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running -= 1
      return
    }
    const [caller, pieces] = next
    const begin = pieces.shift()
    // To the end of the queue: all others come first.
    this.#waiting.delete(caller)
    if (pieces.length > 0) this.#waiting.set(caller, pieces)
    // Whatever else the process has to do comes in between: a piece of work may be done without ever waiting.
    if (begin !== undefined) setImmediate(begin)
  }
}
