/** Everything that start-up opened, closed in reverse order. What comes after the close is closed at once. */
export class Closers {
  readonly #closers: (() => unknown)[] = []
  #isClosed = false

  add(...closers: readonly (() => unknown)[]): void {
    this.#closers.push(...closers)
    // Nobody is left to hear of a failure.
    if (this.#isClosed) void this.closeAll().catch(() => {})
  }

  /** Newest first. If one fails, the others are closed all the same; at the end the first failure is thrown. */
  async closeAll(): Promise<void> {
    this.#isClosed = true
    const failures: unknown[] = []
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
