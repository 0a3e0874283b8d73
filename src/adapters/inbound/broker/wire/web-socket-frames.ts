/** RFC 6455, 5.2. */
const FIN = 0x80
const RESERVED_BITS = 0x70
const OPCODE = 0x0f
const CONTINUATION = 0x00
const TEXT = 0x01
const BINARY = 0x02
const MASKED = 0x80
const LENGTH = 0x7f
const TWO_BYTES = 126
const EIGHT_BYTES = 127
const MASK_BYTES = 4
const NOTHING = Buffer.alloc(0)

/** A frame that goes on. `place`: of its next byte, which gives the mask. `first`: null to pass it on as it is. */
type Current = { readonly first: number | null; readonly mask: Buffer; left: number; place: number }

/**
 * Rewrites the frames of a WebSocket client so that each piece of a message is a message of its own. MQTT is a stream
 * of bytes, however they are framed, but ws keeps frames and fragments until their message is complete, each chunk as
 * an object of its own; and a client may send one byte a fragment, or a chunk. Whatever is wrong stays wrong, so that
 * ws refuses it.
 */
export class WebSocketFrames {
  readonly #maxMessageBytes: number
  /** The start of a frame whose head is not complete. */
  #head: Buffer = NOTHING
  #current: Current | null = null
  /** The opcode of the message whose last fragment has not come; null between messages. */
  #opcode: number | null = null
  #messageBytes = 0

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
  }

  /** The same input for ws; empty if nothing of it can be passed on yet. */
  rewrite(input: Buffer): Buffer {
    const bytes = this.#head.length === 0 ? input : Buffer.concat([this.#head, input])
    this.#head = NOTHING
    const parts: Buffer[] = []
    let at = 0
    while (at < bytes.length) {
      if (this.#current === null) {
        const headBytes = headBytesAt(bytes, at)
        if (at + headBytes > bytes.length) {
          this.#head = Buffer.from(bytes.subarray(at))
          break
        }
        const { passedOn = NOTHING, ...begun } = this.#begin(bytes.subarray(at, at + headBytes))
        parts.push(passedOn)
        this.#current = begun
        at += headBytes
      }
      const current = this.#current
      const piece = bytes.subarray(at, at + current.left)
      at += piece.length
      if (current.first === null) parts.push(piece)
      // A head alone does not count as a piece, unless its frame is empty.
      else if (piece.length > 0 || current.left === 0) parts.push(headOf(current, piece.length), piece)
      current.left -= piece.length
      current.place += piece.length
      if (current.left > 0) break
      this.#current = null
    }
    return Buffer.concat(parts)
  }

  /** `passedOn`: the head of a frame that goes on as it is. */
  #begin(head: Buffer): Current & { readonly passedOn?: Buffer } {
    const [first = 0, second = 0] = head
    const opcode = first & OPCODE
    const left = lengthIn(head)
    const mask = Buffer.from(head.subarray(-MASK_BYTES))
    const asIs = { first: null, mask, left, place: 0, passedOn: head }
    if ((second & MASKED) === 0 || (opcode !== CONTINUATION && opcode !== TEXT && opcode !== BINARY)) return asIs
    // A continuation of nothing, or a message within another one, which ws could not tell from one behind it.
    const isInOrder = (opcode === CONTINUATION) === (this.#opcode !== null)
    if (!isInOrder) return { ...asIs, passedOn: Buffer.concat([Buffer.of(FIN | CONTINUATION), head.subarray(1)]) }
    const message = this.#opcode ?? opcode
    this.#messageBytes = (this.#opcode === null ? 0 : this.#messageBytes) + left
    this.#opcode = (first & FIN) === 0 ? message : null
    if (this.#messageBytes > this.#maxMessageBytes) return { ...asIs, passedOn: tooLong(message, this.#messageBytes) }
    return { first: FIN | (first & RESERVED_BITS) | message, mask, left, place: 0 }
  }
}

/** The head of a frame that ws refuses for its length. */
function tooLong(opcode: number, bytes: number): Buffer {
  const head = Buffer.alloc(10 + MASK_BYTES)
  head[0] = FIN | opcode
  head[1] = MASKED | EIGHT_BYTES
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

/** The bytes of the head that begins at `at`, as far as that is known. */
function headBytesAt(bytes: Buffer, at: number): number {
  const second = bytes[at + 1]
  if (second === undefined) return 2
  const length = second & LENGTH
  const extended = length === EIGHT_BYTES ? 8 : length === TWO_BYTES ? 2 : 0
  return 2 + extended + ((second & MASKED) === 0 ? 0 : MASK_BYTES)
}

function lengthIn(head: Buffer): number {
  const length = head[1]! & LENGTH
  if (length === EIGHT_BYTES) return Number(head.readBigUInt64BE(2))
  return length === TWO_BYTES ? head.readUInt16BE(2) : length
}

/** The head of a frame that has the next `bytes` of this one. */
function headOf({ first, mask, place }: Current, bytes: number): Buffer {
  const head = Buffer.alloc(bytes < TWO_BYTES ? 6 : 8)
  head[0] = first!
  head[1] = MASKED | Math.min(bytes, TWO_BYTES)
  if (bytes >= TWO_BYTES) head.writeUInt16BE(bytes, 2)
  for (let n = 0; n < MASK_BYTES; n += 1) head[head.length - MASK_BYTES + n] = mask[(place + n) % MASK_BYTES]!
  return head
}
