/**
 * Puts frames together again that a stream has torn. Whole frames inside a chunk are never copied; of a torn one no
 * more is kept than its declared length, which has been checked by then.
 */
export class Reassembly {
  /** Chunks not looked at yet, oldest first. */
  readonly #chunks: Buffer[] = []
  /** The beginning of a frame: too little to tell its length, or a buffer of just its length, filled so far. */
  #head: Buffer | null = null
  #frame: Buffer | null = null
  #filled = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  /** The next bytes that begin with a frame; null when there are none, or none that complete the frame begun. */
  next(): Buffer | null {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      const bytes = this.#join(chunk)
      if (bytes !== null) return bytes
    }
    return null
  }

  /** Keeps the beginning of a frame whose length cannot be told yet. */
  keepHead(bytes: Buffer): void {
    this.#head = Buffer.from(bytes)
  }

  /** Keeps the beginning of a frame of `length` bytes. */
  keep(bytes: Buffer, length: number): void {
    this.#frame = Buffer.allocUnsafeSlow(length)
    this.#filled = bytes.copy(this.#frame)
  }

  clear(): void {
    this.#chunks.length = 0
    this.#head = null
    this.#frame = null
  }

  #join(chunk: Buffer): Buffer | null {
    if (this.#head !== null) {
      const joined = Buffer.concat([this.#head, chunk])
      this.#head = null
      return joined
    }
    if (this.#frame === null) return chunk
    const taken = chunk.copy(this.#frame, this.#filled)
    this.#filled += taken
    if (taken < chunk.length) this.#chunks.unshift(chunk.subarray(taken))
    if (this.#filled < this.#frame.length) return null
    const whole = this.#frame
    this.#frame = null
    return whole
  }
}
