import type { Socket } from 'node:net'
import { afterReading, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { Unread } from '../../../lib/unread.ts'
import { bothClocks } from '../../../lib/waited.ts'
import { HeldReading } from './held-reading.ts'
import type { Client } from './listen.ts'
import { OverSocket } from './over-socket.ts'
import type { UnderTls } from './under-tls.ts'

/** The way a client has gone. Full and half close look alike, so a FIN counts. rules.md#ends. */
export type Gone = 'reset' | 'fin'

/** The protocol of a connection, as far as its pace depends on it. */
export type Pace = {
  /** Calls `pass` when it is the turn of these bytes, at once if nothing else waits. */
  inTurn(unread: Buffer, pass: () => void): void
  /** Whether the next bytes may be passed on; the reader of the stream has not paused it. */
  isReady(): boolean
  /** Takes the next piece from the unread bytes, the first of which came at `since`. Returns what the reader gets. */
  take(unread: Unread, since: Moment): Buffer
  /** The reader has the piece. */
  passed(piece: Buffer): void
  /** Whether the reader may hear that the client has ended. */
  mayEnd(): boolean
  /** Whether a connection that is broken still has something to handle. `unread`: bytes not passed on. */
  isOwed(unread: number): boolean
  /** Bytes have come. */
  came(): void
}

/**
 * `since`: its first bytes may have been there since then; null: not before now. `below`: the stream below a TLS
 * connection.
 */
type PacedClient = Client & { readonly since: Moment | null; readonly below: UnderTls | null }

/** Further pieces are passed on until this much time is over; so many bytes are in any case. */
const PASS_MS = 0.2
const PASS_BYTES = 1024
/** Bytes that a client may send ahead; the largest headers have as many. */
const MAX_UNREAD_BYTES = 16 * 1024
/** A broken connection is kept for so long at most: no handler takes longer. */
const MAX_BROKEN_MS = 30_000

/**
 * One connection of the front door, as the stream that Node's HTTP server and ws read. What the client sends is passed
 * on in pieces, each in its turn, and little is read ahead. `gone` tells at once when the client has gone, but the
 * stream ends only after everything that came before: an SOS must not be lost with the cell. A broken connection keeps
 * its place until then; writes to it go nowhere. Nothing is passed on before `follow`.
 */
export class Paced extends OverSocket {
  readonly remoteAddress: string
  readonly remotePort: number | undefined
  /** As in a TLSSocket: Fastify asks it for the protocol. */
  readonly encrypted: boolean
  readonly #reading: HeldReading
  readonly #unread = new Unread()
  /** When the first of the unread bytes came. */
  #unreadSince: Moment = bothClocks()
  #pace: Pace | null = null
  #isInLine = false
  #isPassing = false
  /** Whether the socket is paused, because enough is unread. */
  #isHeld = false
  /** Counts reads from the socket. */
  #reads = 0
  /** Further bytes are thrown away. */
  #isDeaf = false
  /** The client has ended, and the reader has not heard of it. */
  #hasEnded = false
  #gone: Gone | null = null
  #whenGone: (() => void) | null = null
  /** The socket is closed, and not by us. */
  #isBroken = false
  #deadline: NodeJS.Timeout | null = null

  /** Without a `watch`, nothing is known of stalls of the event loop. */
  constructor(socket: Socket, { address, port, since, below }: PacedClient, watch?: LoopWatch) {
    super(socket, { allowHalfOpen: true })
    this.remoteAddress = address
    this.remotePort = port
    this.encrypted = below !== null
    this.#reading = new HeldReading(socket, { since, below }, watch)
    socket.on('data', this.#read).on('end', this.#end).on('close', this.#close).on('timeout', this.#timeout)
    this.on('resume', this.pump).on('drain', this.pump)
  }

  /** The connection carries this protocol from now on. */
  follow(pace: Pace): void {
    this.#pace = pace
    this.pump()
  }

  /** Throws away all bytes that have not been passed on, and those to come. */
  ignore(): void {
    this.#isDeaf = true
    this.#unread.clear()
    this.pump()
  }

  /** The way its client has gone, as soon as this process can know. Null: it may still be there. */
  get gone(): Gone | null {
    // 'close' comes later in the turn of the loop than the read that told of the reset.
    return this.#gone ?? (this.destroyed || this.socket.destroyed ? 'reset' : null)
  }

  /**
   * The same, once everything there has been read. A client that keeps sending behind its request, or takes no answers,
   * counts as gone: nothing is known of it.
   */
  async looks(): Promise<Gone | null> {
    for (let reads = -1; this.gone === null && (reads !== this.#reads || this.#reading.isWaiting); ) {
      reads = this.#reads
      if (this.#isHeld || this.#reading.isWaiting) return 'fin'
      await new Promise<void>(afterReading)
    }
    return this.gone
  }

  /** Calls `tell`, at once or later, when the client has gone. Replaces the one before. */
  whenGone(tell: () => void): void {
    if (this.gone === null) this.#whenGone = tell
    else tell()
  }

  /** Whether the network has broken the connection: writes go nowhere. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** The bytes that have not been passed on: how many, and when the first of them came. */
  get unread(): { readonly length: number; readonly since: Moment } {
    return { length: this.#unread.length, since: this.#unreadSince }
  }

  get bytesRead(): number {
    return this.socket.bytesRead
  }

  /** Bytes that the system has taken, of all that was written. */
  get bytesSent(): number {
    return this.socket.bytesWritten - this.socket.writableLength
  }

  /** Passes on bytes in their turn, and then the end, as far as the pace allows. Call it when that may have changed. */
  readonly pump = (): void => {
    // A half parsed request must not look like the end. `pump` is called again once its bytes are passed on.
    if (this.#isPassing || this.destroyed || this.#pace === null) return
    const { length } = this.#unread
    if (this.#isBroken && !this.#pace.isOwed(length)) return void this.destroy()
    if (length === 0) {
      if (this.#hasEnded && this.#pace.mayEnd()) {
        this.#hasEnded = false
        this.push(null)
      }
    } else if (this.#mayPass && !this.#isInLine) {
      this.#isInLine = true
      this.#pace.inTurn(this.#unread.bytes, this.#passInTurn)
    }
    this.#steer()
  }

  get #mayPass(): boolean {
    return this.readableFlowing === true && this.#pace?.isReady() === true
  }

  readonly #passInTurn = (): void => {
    this.#isInLine = false
    if (this.destroyed) return
    const began = performance.now()
    let bytes = 0
    this.#isPassing = true
    while (this.#unread.length > 0 && this.#mayPass) {
      const before = this.#unread.length
      const piece = this.#pace!.take(this.#unread, this.#unreadSince)
      if (piece.length > 0) this.push(piece)
      this.#pace!.passed(piece)
      bytes += before - this.#unread.length
      if (bytes >= PASS_BYTES && performance.now() - began >= PASS_MS) break
    }
    this.#isPassing = false
    this.pump()
  }

  readonly #read = (bytes: Buffer): void => {
    if (this.#isDeaf) return
    this.#pace?.came()
    this.#reads += 1
    const came = this.#reading.came()
    if (this.#unread.length === 0) this.#unreadSince = came
    this.#unread.add(bytes)
    this.pump()
  }

  readonly #end = (): void => {
    this.#leaves('fin')
    this.#hasEnded = true
    this.pump()
  }

  /** Bytes that the socket has already read are kept. */
  readonly #close = (): void => {
    this.#leaves('reset')
    if (this.destroyed) return
    for (let bytes = this.socket.read(); bytes !== null; bytes = this.socket.read()) this.#read(bytes)
    this.#isBroken = true
    this.#hasEnded = true
    this.#deadline = setTimeout(() => this.destroy(), MAX_BROKEN_MS).unref()
    this.pump()
  }

  #leaves(gone: Gone): void {
    this.#gone ??= gone
    this.#whenGone?.()
    this.#whenGone = null
  }

  /** An idle connection has nothing unread. */
  readonly #timeout = (): void => {
    if (this.#unread.length === 0) this.emit('timeout')
  }

  /** Reads from the socket unless enough is unread. */
  #steer(): void {
    const isHeld = this.#unread.length >= MAX_UNREAD_BYTES
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    if (isHeld) this.socket.pause()
    // A broken socket keeps its bytes until it closes: flowing would drop them.
    else if (!this.socket.destroyed) this.socket.resume()
  }

  protected override letGo(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline)
    this.#unread.clear()
  }

  // Node's HTTP server and ws call these.

  /** Emits 'timeout' after `ms` in which nothing was sent or received; 0: never. */
  setTimeout(ms: number, listener?: () => void): this {
    this.socket.setTimeout(ms)
    if (listener !== undefined) this.once('timeout', listener)
    return this
  }

  setNoDelay(isOn?: boolean): this {
    this.socket.setNoDelay(isOn)
    return this
  }

  /** Ends the connection once everything is written. */
  destroySoon(): void {
    this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }
}
