type Reading<R> = { readonly beganAt: number; readonly result: Promise<R> }

/**
 * Reads that many ask for at once are made once for all of them. No caller gets the result of a read that began before
 * its request, so that it contains everything the caller knows to have happened. Nothing is kept once no caller waits.
 */
export class SharedReads<R> {
  /** The newest read of each key. */
  readonly #readings = new Map<string, Reading<R>>()
  #asking = 0
  /** Counts askers and reads, in the order in which they came. */
  #count = 0

  /**
   * The result of `read`, run at the caller's turn unless a read for another caller has begun meanwhile. `key`: equal
   * where the results are. Rejects as `read` and `inTurn` do.
   */
  async run(key: string, inTurn: (work: () => Promise<R>) => Promise<R>, read: () => Promise<R>): Promise<R> {
    this.#count += 1
    const askedAt = this.#count
    this.#asking += 1
    try {
      return await inTurn(() => {
        const newest = this.#readings.get(key)
        if (newest !== undefined && newest.beganAt > askedAt) return newest.result
        this.#count += 1
        const reading = { beganAt: this.#count, result: read() }
        this.#readings.set(key, reading)
        return reading.result
      })
    } finally {
      this.#asking -= 1
      if (this.#asking === 0) this.#readings.clear()
    }
  }
}

/** Makes one call of `work` at a time: those who ask meanwhile get the same answer. */
export function joinedCalls<R>(work: () => Promise<R>): () => Promise<R> {
  let underWay: Promise<R> | null = null
  return () => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
}
