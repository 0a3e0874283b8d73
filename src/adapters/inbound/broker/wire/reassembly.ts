/**
 * Reassembles frames that the stream has split. Whole frames inside a chunk are never copied. Of a split frame it
 * buffers at most the declared length, which has been checked by then.
 */
export class Reassembly {
  /** Chunks not read yet, oldest first. */
  readonly #chunks: Buffer[] = []
  /** The start of a frame: either too short to know its length, or a buffer of exactly its length, partly filled. */
  #head: Buffer | null = null
  #frame: Buffer | null = null
  #filled = 0

  /** Whether nothing is kept: the next chunk begins with a frame. */
  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#head === null && this.#frame === null
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  /** The next bytes that start with a frame; null if there are none, or too few to complete a started frame. */
  next(): Buffer | null {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      const bytes = this.#join(chunk)
      if (bytes !== null) return bytes
    }
    return null
  }

  /** Keeps the start of a frame whose length is not known yet. */
  keepHead(bytes: Buffer): void {
    this.#head = Buffer.from(bytes)
  }

  /** Keeps the start of a frame of `length` bytes. */
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
