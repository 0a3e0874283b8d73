import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { type HeldBreak, holdBreak } from '../../../lib/hold-break.ts'
import { type LoopCaller, LoopTurns } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { READ_AHEAD_BYTES, watchPaused } from '../../../lib/read-ahead.ts'
import { replaceListener } from '../../../lib/replace-listener.ts'
import { Unread } from '../../../lib/unread.ts'
import { type CallerOf, callerByConnection, kindOf, onlyReads } from './request-caller.ts'

/**
 * Bytes of a connection parsed in one go. The shortest chunk of a body has 6, and is kept as an object of a hundred
 * bytes until it is read; the shortest request has 18, and takes 4 KB until it is handled.
 */
const PIECE_BYTES = 1024
/** The same where more than one request may be in it. */
const CROWDED_BYTES = 128
const END_OF_HEAD = '\r\n\r\n'
/** Further pieces are parsed until this much time is over. */
const PIECE_MS = 0.2
/** How soon to look again whether the body of a connection that has ended is read. */
const LATER_MS = 5
/** What a connection may send ahead; the largest headers have as much. */
const MAX_UNREAD_BYTES = 16 * 1024
/** The first line of an alarm is shorter. */
const FIRST_LINE_BYTES = 200

/** How requests of different connections share the main thread. */
export type SharedTurns = { readonly loop: LoopTurns; readonly callerOf: CallerOf }

type TurnParts = SharedTurns & {
  /** Called when a connection that was idle has begun to send. */
  readonly speaks?: (socket: Socket) => void
}

/** For a server on its own. */
export const ownTurns = (): SharedTurns => ({ loop: new LoopTurns(), callerOf: callerByConnection })

/**
 * Has what connections send parsed in turns of their addresses, and passes the requests of a connection to `handler`
 * one after another, each once the previous one is answered and it is its caller's turn. Little is read ahead. A client
 * that pipelines a thousand requests, sends them over a thousand connections, or cuts its bodies into single bytes,
 * waits for a thousand turns, with other clients' turns in between. Nothing is refused. A complete request is handled
 * even if its client has gone by then, unless it only reads: an SOS must not be lost with the cell.
 * Call `upgraded` for a connection that becomes a WebSocket, and `broken` for one with invalid input: neither is parsed
 * any further.
 */
export function takeTurns(
  server: Server | SecureServer,
  handler: RequestListener,
  { loop, callerOf, speaks = () => {} }: TurnParts = ownTurns(),
): { readonly upgraded: (socket: object) => void; readonly broken: (socket: object) => void } {
  const lines = new WeakMap<object, Line>()
  const handleInTurn: RequestListener = (request, response) => {
    loop.run(callerOf(request), () => {
      if (!request.socket.destroyed) handler(request, response)
    })
  }
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    lines.set(socket, new Line(socket, handleInTurn, { loop, speaks: () => speaks(socket) }))
  })
  const take: RequestListener = (request, response) => {
    const line = lines.get(request.socket)
    if (line === undefined) handleInTurn(request, response)
    else line.take(request, response)
  }
  // An unknown expectation is no reason to turn an alarm away.
  server.on('request', take).on('checkExpectation', take)
  return {
    upgraded: (socket) => lines.get(socket)?.leave(),
    broken: (socket) => lines.get(socket)?.giveUp(),
  }
}

type LineParts = { readonly loop: LoopTurns; readonly speaks: () => void }

/** The pending requests of one connection, and the unparsed bytes after them. */
class Line {
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
  /** Whether nothing of the next request has come. */
  #isIdle = true
  /** Whether the unread bytes wait for their turn. */
  #isInLine = false
  #isParsing = false
  readonly #break: HeldBreak
  /** Whether this line paused the connection, as opposed to Node, which does so for its own reasons. */
  #holds = false
  #ended = false
  #later: NodeJS.Timeout | null = null
  #left = false

  /** Inserts itself between the connection and Node's parser, which are connected by then. */
  constructor(socket: Socket, handler: RequestListener, { loop, speaks }: LineParts) {
    this.#socket = socket
    this.#handler = handler
    this.#loop = loop
    this.#speaks = speaks
    this.#network = networkOf(socket.remoteAddress ?? '')
    this.#parse = replaceListener(socket, 'data', this.#read)
    this.#finish = replaceListener(socket, 'end', this.#end)
    this.#break = holdBreak(socket, () => this.#isOwedATurn)
    socket.on('resume', this.#pump).on('drain', this.#pump)
  }

  take(request: IncomingMessage, response: ServerResponse): void {
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

  readonly #end = (): void => {
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
    if (!mayParse || this.#unread.length >= MAX_UNREAD_BYTES) this.#hold()
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
    this.#isParsing = true
    while (this.#unread.length > 0 && this.#mayParse) {
      this.#parse(this.#unread.take(pieceOf(this.#unread.bytes)))
      if (performance.now() - began >= PIECE_MS) break
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

/** How many of these bytes to parse. One request is, nearly always, one piece. */
function pieceOf(bytes: Buffer): number {
  const piece = bytes.subarray(0, PIECE_BYTES)
  const end = piece.indexOf(END_OF_HEAD)
  return end >= 0 && piece.includes(END_OF_HEAD, end + END_OF_HEAD.length) ? CROWDED_BYTES : PIECE_BYTES
}

/** What a request says first, if the bytes begin with one. */
function firstLineOf(bytes: Buffer): { readonly method: string; readonly url: string } {
  const [method = '', url = ''] = bytes.toString('latin1', 0, FIRST_LINE_BYTES).split(' ', 2)
  return { method, url }
}
