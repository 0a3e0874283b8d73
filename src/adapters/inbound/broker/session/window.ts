/** The publishes of one connection in flight: passed on and not yet settled, oldest first. */
export class Window {
  readonly #max: number
  readonly #maxBytes: number
  /** Packet ids (0 for QoS 0) and the size of each publish in bytes. */
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

  /** At least one publish always fits, whatever its size. */
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
    // They settle roughly in order of arrival.
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
