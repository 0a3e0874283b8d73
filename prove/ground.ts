/**
 * The ground of one part of the proof: everything that the part starts registers how it ends, and is ended in reverse
 * order whatever happens. Usable wherever the test harness expects a test context.
 */
export class Ground {
  readonly #endings: (() => unknown)[] = []
  #ending: Promise<readonly Error[]> | null = null

  after(work: () => unknown): void {
    this.#endings.push(work)
  }

  /** The harness calls this if the machine lacks something. */
  skip(reason: string): void {
    throw new CannotRun(reason)
  }

  /** Ends everything and resolves to the errors of doing so. May be called twice. */
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

/** Thrown if the machine lacks something: the row names it, and the proof goes on. */
export class CannotRun extends Error {}
