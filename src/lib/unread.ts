/** Spare room for small pieces, so that few of them cause another copy. */
const MIN_SPARE_BYTES = 1024
const MAX_SPARE_BYTES = 8 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * Received bytes not read yet, as one piece of memory however small the pieces that arrived: a client may send one
 * byte at a time, and each piece is an object of two hundred bytes. Bytes already taken are never overwritten.
 */
export class Unread {
  #bytes: Buffer = NOTHING
  #from = 0
  #to = 0
  /** Whether there may be room behind the bytes: the memory is not that of a piece which came in. */
  #isOwn = false

  get length(): number {
    return this.#to - this.#from
  }

  /** All of it, as a view. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  add(piece: Buffer): void {
    if (this.length === 0) {
      this.#set(piece, piece.length, false)
      return
    }
    const length = this.length + piece.length
    if (!this.#isOwn || this.#to + piece.length > this.#bytes.length) {
      const spare = Math.min(Math.max(length, MIN_SPARE_BYTES), MAX_SPARE_BYTES)
      const room = Buffer.allocUnsafeSlow(length + spare)
      this.#set(room, this.bytes.copy(room), true)
    }
    piece.copy(this.#bytes, this.#to)
    this.#to += piece.length
  }

  /** Takes the first bytes: at most `max`, as a view. */
  take(max: number): Buffer {
    const piece = this.bytes.subarray(0, max)
    this.#from += piece.length
    if (this.length === 0) this.clear()
    return piece
  }

  clear(): void {
    this.#set(NOTHING, 0, false)
  }

  #set(bytes: Buffer, length: number, isOwn: boolean): void {
    this.#bytes = bytes
    this.#from = 0
    this.#to = length
    this.#isOwn = isOwn
  }
}
