/** A line of waiting items, first come, first served: an array, or callers that take turns themselves. */
type Line<T> = { readonly length: number; shift(): T | undefined }

/**
 * Callers with something waiting, who take turns: nobody waits behind another's backlog, and the items of one caller
 * keep their order. Iterates from the caller whose turn is next.
 */
export class RoundRobin<T, L extends Line<T> = T[]> implements Line<T> {
  readonly #newLine: () => L
  readonly #lines = new Map<string, L>()

  constructor(newLine: () => L) {
    this.#newLine = newLine
  }

  /** The number of callers with something waiting. */
  get length(): number {
    return this.#lines.size
  }

  [Symbol.iterator](): Iterator<[caller: string, line: L]> {
    return this.#lines[Symbol.iterator]()
  }

  get(caller: string): L | undefined {
    return this.#lines.get(caller)
  }

  /** The line of a caller, to add something to at once. A new caller's turn comes after all others'. */
  of(caller: string): L {
    const known = this.#lines.get(caller)
    if (known !== undefined) return known
    const line = this.#newLine()
    this.#lines.set(caller, line)
    return line
  }

  /** Takes one of the caller whose turn it is. Undefined: nothing waits. */
  shift(): T | undefined {
    const [first] = this.#lines
    if (first === undefined) return undefined
    const [caller, line] = first
    const item = line.shift()
    this.pass(caller, line)
    return item
  }

  /** A caller's turn is over: all others come first. Drops callers with nothing waiting. */
  pass(caller: string, line: L): void {
    this.#lines.delete(caller)
    if (line.length > 0) this.#lines.set(caller, line)
  }
}
