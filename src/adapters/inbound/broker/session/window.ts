/** The publishes of one connection that are passed on and not yet settled, oldest first. */
export class Window {
  readonly #max: number
  readonly #maxBytes: number
  /** Message ids, 0 for QoS 0, and the size of each. */
  readonly #ids: number[] = []
  readonly #sizes: number[] = []
  #bytes = 0

  constructor(max: number, maxBytes: number) {
    this.#max = max
    this.#maxBytes = maxBytes
  }

  get count(): number {
    return this.#ids.length
  }

  /** At least one publish always fits, however large. */
  get full(): boolean {
    return this.#ids.length >= this.#max || this.#bytes >= this.#maxBytes
  }

  has(id: number): boolean {
    return this.#ids.includes(id)
  }

  take(id: number, bytes: number): void {
    this.#ids.push(id)
    this.#sizes.push(bytes)
    this.#bytes += bytes
  }

  release(id: number): void {
    // They settle in about the order in which they came.
    const at = this.#ids[0] === id ? 0 : this.#ids.indexOf(id)
    if (at < 0) return
    this.#bytes -= this.#sizes[at]!
    if (at === 0) {
      this.#ids.shift()
      this.#sizes.shift()
    } else {
      this.#ids.splice(at, 1)
      this.#sizes.splice(at, 1)
    }
  }
}

/** How much of something there is: `perSecond` on average, `atOnce` (a second's worth) in one go. Times are monotonic milliseconds. */
export class Budget {
  readonly #perSecond: number
  readonly #atOnce: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number, atOnce = perSecond) {
    this.#perSecond = perSecond
    this.#atOnce = atOnce
    this.#left = atOnce
    this.#at = now
  }

  get spent(): boolean {
    return this.#left <= 0
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  refill(now: number): void {
    this.#left = Math.min(this.#atOnce, this.#left + ((now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
  }

  /** Milliseconds until there is something to spend again. */
  waitMs(): number {
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) * 1000) / this.#perSecond)
  }
}
