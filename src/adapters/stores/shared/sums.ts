/** Names that may have a sum at a time. */
const MAX_NAMES = 10_000

/** Adds amounts up by name, and passes a sum on once it reaches `step`, or when there are too many names. */
export class Sums<K> {
  readonly #step: number
  readonly #pass: (name: K, sum: number) => void
  readonly #sums = new Map<K, number>()

  constructor(step: number, pass: (name: K, sum: number) => void) {
    this.#step = step
    this.#pass = pass
  }

  add(name: K, amount: number): void {
    const sum = (this.#sums.get(name) ?? 0) + amount
    if (sum >= this.#step) {
      this.#sums.delete(name)
      this.#pass(name, sum)
      return
    }
    this.#sums.set(name, sum)
    if (this.#sums.size <= MAX_NAMES) return
    const [first] = this.#sums
    if (first === undefined) return
    this.#sums.delete(first[0])
    this.#pass(...first)
  }

  /** Forgets all sums not passed on yet. */
  clear(): void {
    this.#sums.clear()
  }
}
