import type { IncomingMessage } from 'node:http'
import type { Moment } from '../../../../lib/loop-watch.ts'

/**
 * Bytes of a connection parsed in one go. The shortest chunk of a body has 6, and is kept as an object of a hundred
 * bytes until it is read.
 */
const PIECE_BYTES = 1024
/** Ends a head, and a body in chunks. */
const END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/**
 * Cuts the input of a connection into pieces for Node's parser. None belongs to two requests: so the arrival of each
 * one's first byte is known, and a piece yields at most one request.
 */
export class RequestPieces {
  /** The request that is being parsed, once its head is complete. */
  #request: IncomingMessage | null = null
  /** Arrival of the first byte of the request that is being parsed. Null: nothing of it has been parsed. */
  #first: Moment | null = null
  /** Time at which its first byte was parsed, or the connection began, in monotonic ms. Null: no request has begun. */
  #begunAt: number | null = performance.now()
  /** Bytes left of a body that tells its length. */
  #bodyLeft = 0
  /** The last bytes parsed, with which an `END` may have begun. */
  #tail: Buffer = NOTHING

  /** The number of these bytes to parse next; the first of them came at `at`. */
  next(bytes: Buffer, at: Moment): number {
    const piece = bytes.subarray(0, this.#bodyLeft > 0 ? Math.min(PIECE_BYTES, this.#bodyLeft) : PIECE_BYTES)
    // Some clients send an empty line after a body.
    if (this.#first === null && !piece.every(isOfLineEnd)) {
      this.#first = at
      this.#begunAt ??= performance.now()
    }
    if (this.#bodyLeft > 0) return piece.length
    const begun = this.#tail.length
    const end = (begun === 0 ? piece : Buffer.concat([this.#tail, piece])).indexOf(END)
    return end === -1 ? piece.length : end + END.length - begun
  }

  /** `piece` has been parsed. `found`: the request whose head was complete with it. */
  parsed(piece: Buffer, found: IncomingMessage | null): void {
    if (found !== null) {
      this.#request = found
      this.#bodyLeft = lengthOf(found)
    } else if (this.#bodyLeft > 0) this.#bodyLeft -= piece.length
    this.#tail = found !== null || this.#bodyLeft > 0 ? NOTHING : lastOf(this.#tail, piece)
    if (this.#request?.complete !== true) return
    this.#request = null
    this.#first = null
    this.#begunAt = null
    this.#bodyLeft = 0
    this.#tail = NOTHING
  }

  /** Arrival of the first byte of the request that is being parsed. */
  get first(): Moment | null {
    return this.#first
  }

  /** Start of the request that is incomplete, or of its connection. Null: none has begun. */
  get begunAt(): number | null {
    return this.#begunAt
  }

  /** Whether its head is incomplete. */
  get isHead(): boolean {
    return this.#request === null
  }
}

const isOfLineEnd = (byte: number): boolean => byte === 13 || byte === 10

/** 0: the body is in chunks, or there is none. */
const lengthOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0

const lastOf = (before: Buffer, piece: Buffer): Buffer =>
  Buffer.concat([before, piece.subarray(1 - END.length)]).subarray(1 - END.length)
