import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { OverSocket, READ_AHEAD_BYTES } from './over-socket.ts'

/** Node's TLS begins with a buffer of 1 KiB. One that was full once is followed by 16 KiB, kept with the connection. */
const PIECE_BYTES = 1000
/** A client's second message of a handshake is shorter. */
const TURN_BYTES = 4 * PIECE_BYTES

/**
 * The stream below a TLS connection, made in a turn. What comes after it takes further turns until the handshake is
 * over: any message may cost milliseconds, and a thousand clients may send theirs at the same moment. TLS gets small
 * pieces, and none while its reader has paused it: it decrypts all that it gets, which may be thousands of records of a
 * byte. The rest stays in the socket. All that came before a break is passed on.
 */
export class UnderTls extends OverSocket {
  /** Null: the handshake is over. */
  #inTurn: ((pass: () => void) => void) | null
  #secured: TLSSocket | null = null
  #isInLine = false
  /** The first message belongs to the turn in which this was made. */
  #isFirst = true

  constructor(socket: Socket, inTurn: (pass: () => void) => void) {
    super(socket, { allowHalfOpen: socket.allowHalfOpen })
    this.#inTurn = inTurn
    socket.on('readable', this.#pump).on('end', this.#end).on('close', this.#pump)
    this.on('resume', this.#pump)
  }

  /** The connection that reads this stream. */
  carry(secured: TLSSocket): void {
    this.#secured = secured
    secured.on('resume', this.#pump).once('secure', () => {
      this.#inTurn = null
    })
  }

  get #mayPass(): boolean {
    return this.readableFlowing === true && !this.destroyed && this.#secured?.isPaused() === false
  }

  readonly #pump = (): void => {
    if (this.#isInLine || !this.#mayPass) return
    if (this.#inTurn === null || this.socket.readableLength === 0) this.#pass(Number.POSITIVE_INFINITY)
    else if (this.#isFirst) this.#passInTurn()
    else {
      this.#isInLine = true
      this.#inTurn(this.#passInTurn)
    }
  }

  readonly #passInTurn = (): void => {
    this.#isInLine = false
    this.#isFirst = false
    this.#pass(TURN_BYTES)
    this.#pump()
  }

  #pass(maxBytes: number): void {
    for (let bytes = 0; bytes < maxBytes && this.#mayPass; ) {
      const piece = this.#take()
      if (piece === null) {
        if (this.socket.closed) this.destroy()
        return
      }
      bytes += piece.length
      this.push(piece)
    }
  }

  /** Asking for more than the mark of the socket would raise it. */
  #take(): Buffer | null {
    const { socket } = this
    if (socket.readableLength <= PIECE_BYTES) return socket.read()
    const pieces: Buffer[] = []
    for (let n = 0; n + READ_AHEAD_BYTES <= PIECE_BYTES; n += READ_AHEAD_BYTES)
      pieces.push(socket.read(READ_AHEAD_BYTES))
    return Buffer.concat(pieces)
  }

  readonly #end = (): void => void this.push(null)
}
