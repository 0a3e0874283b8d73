import { RoundRobin } from './round-robin.ts'

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
  /** Each starts a waiting piece. */
  readonly #waiting = new RoundRobin<() => void>(() => [])
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
      const before = this.#waiting.get(caller)?.length ?? 0
      if (before >= this.#options.maxWaiting && !isGoingOn) return null
      await new Promise<void>((begin) => this.#waiting.of(caller).push(begin))
    }
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  #passOn(): void {
    const begin = this.#waiting.shift()
    // Lets other work of the process run in between: a piece may finish without ever waiting.
    if (begin !== undefined) setImmediate(begin)
    else this.#running -= 1
  }
}
