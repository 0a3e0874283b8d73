import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type HeldBreak, holdBreak } from '../../../lib/hold-break.ts'
import type { LoopCaller, LoopTurns } from '../../../lib/loop-turns.ts'
import { afterReading, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { READ_AHEAD_BYTES, watchPaused } from '../../../lib/read-ahead.ts'
import { replaceListener } from '../../../lib/replace-listener.ts'
import { Unread } from '../../../lib/unread.ts'
import { bothClocks } from '../../../lib/waited.ts'
import { bind, type Gone } from './client.ts'
import { HeldReading } from './held-reading.ts'
import { kindOf, onlyReads } from './request-caller.ts'
import { PIECE_BYTES, RequestPieces } from './request-pieces.ts'

/** Further pieces are parsed until this much time is over; so many bytes are in any case: most requests have fewer. */
const PIECE_MS = 0.2
/** How soon to look again whether the body of a connection that has ended is read. */
const LATER_MS = 5
/** What a connection may send ahead; the largest headers have as much. */
const MAX_UNREAD_BYTES = 16 * 1024
/** The first line of an alarm is shorter. */
const FIRST_LINE_BYTES = 200

type LineParts = { readonly loop: LoopTurns; readonly watch: LoopWatch | undefined; readonly speaks: () => void }

/** The pending requests of one connection, and the unparsed bytes after them. */
export class Line {
  readonly #socket: Socket
  readonly #handler: RequestListener
  readonly #loop: LoopTurns
  readonly #speaks: () => void
  readonly #network: string
  readonly #parse: (bytes: Buffer) => void
  readonly #finish: () => void
  readonly #waiting: [IncomingMessage, ServerResponse][] = []
  /** The request whose turn it is. */
  #current: IncomingMessage | null = null
  readonly #unread = new Unread()
  /** When the first of the unread bytes came. */
  #unreadSince: Moment = bothClocks()
  readonly #reading: HeldReading
  readonly #pieces = new RequestPieces()
  /** The request whose head the parser has just found. */
  #found: IncomingMessage | null = null
  /** Whether nothing of the next request has come. */
  #isIdle = true
  /** Whether the unread bytes wait for their turn. */
  #isInLine = false
  #isParsing = false
  /** How often something was read. */
  #reads = 0
  /** Whether reading goes on though nothing may be parsed, to learn whether the client has gone. */
  #isLooking = false
  #whenGone: (() => void) | null = null
  readonly #break: HeldBreak
  /** Whether this line paused the connection, as opposed to Node, which does so for its own reasons. */
  #holds = false
  #ended = false
  #later: NodeJS.Timeout | null = null
  #left = false

  /** Inserts itself between the connection and Node's parser, which are connected by then. */
  constructor(socket: Socket, handler: RequestListener, { loop, watch, speaks }: LineParts) {
    this.#socket = socket
    this.#handler = handler
    this.#loop = loop
    this.#speaks = speaks
    this.#network = networkOf(socket.remoteAddress ?? '')
    this.#parse = replaceListener(socket, 'data', this.#read)
    this.#finish = replaceListener(socket, 'end', this.#end)
    this.#break = holdBreak(socket, () => this.#isOwedATurn, this.#leaves)
    socket.once('close', this.#leaves)
    this.#reading = new HeldReading(socket, watch)
    socket.on('resume', this.#pump).on('drain', this.#pump)
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    this.#found = request
    bind(request, { connection: this, response, since: this.#pieces.first ?? this.#unreadSince })
    this.#waiting.push([request, response])
    if (this.#current === null) this.#next()
  }

  leave(): void {
    this.#left = true
    this.#break.release()
    this.#socket.off('data', this.#read).off('end', this.#end).off('resume', this.#pump).off('drain', this.#pump)
  }

  giveUp(): void {
    this.#unread.clear()
    this.leave()
  }

  readonly #next = (): void => {
    // The waiting requests have lost their bodies with the connection.
    if (this.#socket.destroyed) return
    const turn = this.#waiting.shift()
    if (turn === undefined) {
      this.#current = null
      this.#isIdle = this.#unread.length === 0
      this.#release()
      this.#pump()
      return
    }
    const [request, response] = turn
    this.#current = request
    response.once('close', () => (this.#waiting.length > 0 ? setImmediate(this.#next) : this.#next()))
    // Nobody waits for the answer. It is made all the same: the next one comes after it.
    if (this.#break.isHeld() && onlyReads(request)) response.end()
    else this.#handler(request, response)
    // Its body may be among the unread bytes.
    this.#pump()
  }

  readonly #read = (bytes: Buffer): void => {
    if (this.#isIdle) this.#speaks()
    this.#isIdle = false
    this.#reads += 1
    const came = this.#reading.came()
    if (this.#unread.length === 0) this.#unreadSince = came
    this.#unread.add(bytes)
    this.#pump()
  }

  /** Nothing tells when a body is read that came before the end. */
  #pumpLater(): void {
    if (this.#socket.destroyed) return
    this.#later ??= setTimeout(() => {
      this.#later = null
      this.#pump()
    }, LATER_MS).unref()
  }

  get gone(): Gone | null {
    if (this.#break.isHeld() || this.#socket.destroyed) return 'reset'
    return this.#socket.readableEnded ? 'fin' : null
  }

  /** Of a client that sends on and on behind its request, or takes no answers, nothing is known: it counts as gone. */
  async looks(): Promise<Gone | null> {
    this.#isLooking = true
    try {
      for (let reads = -1; this.gone === null && reads !== this.#reads; ) {
        reads = this.#reads
        this.#release()
        if (this.#socket.isPaused() || this.#unread.length >= MAX_UNREAD_BYTES) return 'fin'
        await new Promise<void>(afterReading)
      }
    } finally {
      this.#isLooking = false
      this.#pump()
    }
    return this.gone
  }

  whenGone(tell: () => void): void {
    if (this.gone === null) this.#whenGone = tell
    else tell()
  }

  readonly #leaves = (): void => {
    this.#whenGone?.()
    this.#whenGone = null
  }

  readonly #end = (): void => {
    this.#leaves()
    this.#ended = true
    this.#pump()
  }

  /**
   * Whether Node's parser may get more input: it pauses the connection while a body or the answers are not read fast
   * enough.
   */
  get #mayParse(): boolean {
    if (this.#waiting.length > 0 || this.#left || this.#socket.writableNeedDrain) return false
    // Node no longer pauses a connection that has ended, but the rest of its bytes is already here.
    if (this.#ended) return this.#current === null || !isUnread(this.#current)
    return this.#holds || !this.#socket.isPaused()
  }

  /** Whether something that has come must be handled even though the client is gone. */
  get #isOwedATurn(): boolean {
    if (this.#unread.length > 0 || this.#socket.readableLength > 0 || this.#waiting.length > 0) return true
    return this.#current?.complete === true && !onlyReads(this.#current)
  }

  /** Gets in line with the unread bytes, or handles the end once there are none. */
  readonly #pump = (): void => {
    // It is called again then; a request that is only half parsed must not look like the end.
    if (this.#isParsing) return
    if (this.#break.isHeld() && !this.#isOwedATurn) {
      this.#break.release()
      return
    }
    if (this.#socket.isPaused()) watchPaused(this.#socket)
    if (this.#unread.length === 0) {
      // Not before the last answer: Node would close the connection.
      if (!this.#ended || this.#left || this.#waiting.length > 0 || this.#current?.complete === true) return
      this.#ended = false
      this.#finish()
      return
    }
    const mayParse = this.#mayParse
    if (mayParse && !this.#isInLine) {
      this.#isInLine = true
      this.#loop.run(this.#caller(), this.#parseInTurn)
    }
    if (!mayParse && this.#ended) this.#pumpLater()
    if (this.#unread.length >= MAX_UNREAD_BYTES || !(mayParse || this.#isLooking)) this.#hold()
  }

  /** Parses until another request is waiting. A body belongs to the request whose turn it is. */
  readonly #parseInTurn = (): void => {
    this.#isInLine = false
    if (this.#socket.destroyed) {
      this.giveUp()
      return
    }
    // Otherwise a pause by Node could not be told from ours.
    this.#release()
    const began = performance.now()
    let bytes = 0
    this.#isParsing = true
    while (this.#unread.length > 0 && this.#mayParse) {
      const piece = this.#unread.take(this.#pieces.next(this.#unread.bytes, this.#unreadSince))
      this.#found = null
      this.#parse(piece)
      this.#pieces.parsed(piece, this.#found)
      bytes += piece.length
      if (bytes >= PIECE_BYTES && performance.now() - began >= PIECE_MS) break
    }
    this.#isParsing = false
    // No WebSocket client sends that much before the answer to its handshake.
    if (this.#left && this.#unread.length > 0) this.#socket.destroy()
    else this.#pump()
  }

  /** By address: the bytes do not tell yet whose they are. */
  #caller(): LoopCaller {
    const claim = this.#current !== null && !this.#current.complete ? this.#current : firstLineOf(this.#unread.bytes)
    return { kind: kindOf(claim), group: this.#network, member: '' }
  }

  #hold(): void {
    if (this.#left || this.#socket.isPaused()) return
    this.#holds = true
    this.#socket.pause()
    watchPaused(this.#socket)
  }

  #release(): void {
    if (!this.#holds) return
    this.#holds = false
    this.#socket.resume()
  }
}

/** Whether nobody reads the body for now: the rest of it waits as bytes, and no further chunk becomes an object. */
const isUnread = ({ readableLength }: IncomingMessage): boolean => readableLength >= READ_AHEAD_BYTES

/** What a request says first, if the bytes begin with one. */
function firstLineOf(bytes: Buffer): { readonly method: string; readonly url: string } {
  const [method = '', url = ''] = bytes.toString('latin1', 0, FIRST_LINE_BYTES).split(' ', 2)
  return { method, url }
}
