/** What a start has begun, and how to close it again. */
export class Closers {
  readonly #closers: (() => unknown)[] = []

  add(...closers: readonly (() => unknown)[]): void {
    this.#closers.push(...closers)
  }

  /** Newest first. One that fails does not keep the others from being closed; the first failure is thrown at the end. */
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
