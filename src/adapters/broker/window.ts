/**
 * The publishes of one connection that are passed on and not yet settled. Acknowledgements come in about the order of the
 * publishes, so the bytes are given back in that order; at zero they are exact again.
 */
export class Window {
  readonly #most: number
  readonly #mostBytes: number
  #sizes: Uint32Array | null = null
  #oldest = 0
  #count = 0
  #bytes = 0

  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  get count(): number {
    return this.#count
  }

  /** At least one publish always fits, however large. */
  get full(): boolean {
    return this.#count >= this.#most || this.#bytes >= this.#mostBytes
  }

  take(bytes: number): void {
    this.#sizes ??= new Uint32Array(this.#most)
    this.#sizes[(this.#oldest + this.#count) % this.#most] = bytes
    this.#count++
    this.#bytes += bytes
  }

  giveBack(): void {
    if (this.#count === 0) return
    this.#bytes -= this.#sizes![this.#oldest]!
    this.#oldest = (this.#oldest + 1) % this.#most
    this.#count--
  }
}

/** How much a connection may send: `perSecond` on average, a second's worth at once. Times are monotonic milliseconds. */
export class Budget {
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
    this.#at = now
  }

  get spent(): boolean {
    return this.#left <= 0
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  refill(now: number): void {
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
  }

  /** Milliseconds until there is something to spend again. */
  waitMs(): number {
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) * 1000) / this.#perSecond)
  }
}
