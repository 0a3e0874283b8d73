import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LoopSlice, LoopTicks } from '../../../lib/loop-slice.ts'
import type { LoopKind, LoopTurns } from '../../../lib/loop-turns.ts'
import { OverSocket, READ_AHEAD_BYTES } from './over-socket.ts'

/** Node's TLS begins with a buffer of 1 KiB. One that was full once is followed by 16 KiB, kept with the connection. */
const PIECE_BYTES = 1000
/** A client's second message of a handshake is shorter. */
const TURN_BYTES = 4 * PIECE_BYTES
/** Main-thread time that the connections of a door may use after their handshakes, per turn of the event loop. */
const SLICE_MS = 2
/** Further pieces are passed on in a turn until this much time is over. */
const PASS_MS = 0.2

/** The turns that the TLS connections of a door take. */
export class TlsTurns {
  readonly loop: LoopTurns
  /** For bytes after the handshakes. */
  readonly slice = new LoopSlice(new LoopTicks(), SLICE_MS)

  constructor(loop: LoopTurns) {
    this.loop = loop
  }
}

/**
 * The stream below a TLS connection, made in a turn. What comes after it takes further turns until the handshake is
 * over: any message may cost milliseconds, and a thousand clients may send theirs at the same moment. Afterwards bytes
 * are passed on at once, an alarm among them, until all connections of the door together have used their slice of
 * a turn: a chunk of 64 KiB may hold 2,400 key updates, which cost 20 to 140 ms. Then they take turns. TLS gets small
 * pieces, and none while its reader has paused it: it decrypts all that it gets, which may be thousands of records of a
 * byte. The rest stays in the socket. All that came before a break is passed on.
 *
 * Emits 'wait' when bytes begin to wait for their turn, and 'go' when the last one has had its turn.
 */
export class UnderTls extends OverSocket {
  readonly #turns: TlsTurns
  readonly #group: string
  #secured: TLSSocket | null = null
  #isHandshake = true
  #isInLine = false
  /** The first message belongs to the turn in which this was made. */
  #isFirst = true

  /** `group`: the network of the client. */
  constructor(socket: Socket, turns: TlsTurns, group: string) {
    super(socket, { allowHalfOpen: socket.allowHalfOpen })
    this.#turns = turns
    this.#group = group
    socket.on('readable', this.#pump).on('end', this.#end).on('close', this.#pump)
    this.on('resume', this.#pump)
  }

  /** The connection that reads this stream. */
  carry(secured: TLSSocket): void {
    this.#secured = secured
    secured.on('resume', this.#pump).once('secure', () => {
      this.#isHandshake = false
    })
  }

  /** Whether bytes that have come wait for their turn. */
  get isWaiting(): boolean {
    return this.#isInLine
  }

  get #mayPass(): boolean {
    return this.readableFlowing === true && !this.destroyed && this.#secured?.isPaused() === false
  }

  readonly #pump = (): void => {
    if (this.#isInLine || !this.#mayPass) return
    if (!this.#hasMore) this.#pass()
    else if (this.#isFirst) this.#passInTurn()
    else if (this.#isHandshake || this.#turns.slice.spent) this.#waitForTurn()
    else this.#passAtOnce()
  }

  get #hasMore(): boolean {
    return this.socket.readableLength > 0
  }

  #waitForTurn(): void {
    // An open connection does not wait behind handshakes.
    const kind: LoopKind = this.#isHandshake ? 'connection' : 'other'
    this.#isInLine = true
    this.emit('wait')
    // A new function each time: an idle connection has none.
    this.#turns.loop.start({ kind, group: this.#group, member: '' }, () => this.#passInTurn())
  }

  #passInTurn(): void {
    const hasWaited = this.#isInLine
    this.#isInLine = false
    this.#isFirst = false
    for (let bytes = 0; this.#isHandshake && bytes < TURN_BYTES; ) {
      const passed = this.#pass()
      if (passed === 0) break
      bytes += passed
    }
    // An alarm may be right behind the last message of the handshake.
    const until = performance.now() + PASS_MS
    while (!this.#isHandshake && this.#pass() > 0) if (this.#hasMore && performance.now() >= until) break
    if (this.#mayPass && this.#hasMore) this.#waitForTurn()
    else if (hasWaited) this.emit('go')
  }

  #passAtOnce(): void {
    const { slice } = this.#turns
    for (let began = performance.now(); this.#pass() > 0; ) {
      const now = performance.now()
      slice.spend(now - began)
      began = now
      if (this.#hasMore && this.#mayPass && slice.spent) {
        this.#waitForTurn()
        return
      }
    }
  }

  /** Passes a piece on, and returns how many bytes it has. */
  #pass(): number {
    const piece = this.#mayPass ? this.#take() : null
    if (piece === null) {
      // TLS closes the stream below it. If that closed by itself, TLS would wait for a 'close' that has already come.
      if (this.#mayPass && this.socket.closed) (this.#secured ?? this).destroy()
      return 0
    }
    this.push(piece)
    return piece.length
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
