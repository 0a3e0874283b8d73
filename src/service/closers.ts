/** Everything that start-up opened, closed in reverse order. */
export class Closers {
  readonly #closers: (() => unknown)[] = []

  add(...closers: readonly (() => unknown)[]): void {
    this.#closers.push(...closers)
  }

  /** Newest first. If one fails, the others are closed all the same; at the end the first failure is thrown. */
  async closeAll(): Promise<void> {
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
