/**
 * What a part of the proof stands on: everything that it starts says here how it ends, and ends in the opposite order
 * whatever happens. Fits wherever the test harness wants a test.
 */
export class Ground {
  readonly #endings: (() => unknown)[] = []
  #ending: Promise<readonly Error[]> | null = null

  after(work: () => unknown): void {
    this.#endings.push(work)
  }

  /** The harness says so where the machine cannot do something. */
  skip(reason: string): void {
    throw new CannotRun(reason)
  }

  /** Ends everything, and gives what went wrong with that. May be called twice. */
  end(): Promise<readonly Error[]> {
    this.#ending ??= this.#endAll()
    return this.#ending
  }

  async #endAll(): Promise<readonly Error[]> {
    const errors: Error[] = []
    for (let work = this.#endings.pop(); work !== undefined; work = this.#endings.pop()) {
      try {
        await work()
      } catch (error) {
        errors.push(error as Error)
      }
    }
    return errors
  }
}

/** Thrown where the machine lacks something: the row says what, and the proof goes on. */
export class CannotRun extends Error {}
