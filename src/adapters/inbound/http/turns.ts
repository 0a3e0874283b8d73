import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import { type CallerOf, callerByConnection } from './request-caller.ts'

/**
 * Bytes of a connection parsed in one go. The shortest request has 18, so a piece holds about two hundred: a few
 * milliseconds of work, where the 64 KiB that Node reads in one go would take fifty.
 */
const PIECE_BYTES = 4 * 1024
const NOTHING = Buffer.alloc(0)

/** How requests of different connections share the main thread. */
export type SharedTurns = { readonly loop: LoopTurns; readonly callerOf: CallerOf }

/**
 * Passes the requests of a connection to `handler` one after another, each once the previous one is answered and it is
 * its caller's turn, and reads at most one piece ahead. A client that pipelines a thousand requests, or sends them over
 * a thousand connections, waits for a thousand turns, with other clients' turns in between. Nothing is refused or lost.
 * Call `upgraded` for a connection that becomes a WebSocket, and `broken` for one with invalid input: neither is parsed
 * any further.
 */
export function takeTurns(
  server: Server | SecureServer,
  handler: RequestListener,
  { loop, callerOf }: SharedTurns = { loop: new LoopTurns(), callerOf: callerByConnection },
): { readonly upgraded: (socket: object) => void; readonly broken: (socket: object) => void } {
  const lines = new WeakMap<object, Line>()
  const handleInTurn: RequestListener = (request, response) => {
    loop.start(callerOf(request), () => {
      if (!request.socket.destroyed) handler(request, response)
    })
  }
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    lines.set(socket, new Line(socket, handleInTurn))
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

/** The pending requests of one connection, and the unparsed bytes after them. */
class Line {
  readonly #socket: Socket
  readonly #handler: RequestListener
  readonly #parse: (bytes: Buffer) => void
  readonly #finish: () => void
  readonly #waiting: [IncomingMessage, ServerResponse][] = []
  /** The request whose turn it is. */
  #current: IncomingMessage | null = null
  #unread: Buffer = NOTHING
  /** Whether this line paused the connection, as opposed to Node, which does so for its own reasons. */
  #holds = false
  #ended = false
  #left = false

  /** Inserts itself between the connection and Node's parser, which are connected by then. */
  constructor(socket: Socket, handler: RequestListener) {
    this.#socket = socket
    this.#handler = handler
    this.#parse = takeOver(socket, 'data', this.#read)
    this.#finish = takeOver(socket, 'end', this.#end)
    socket.on('resume', this.#pump).on('drain', this.#pump)
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    this.#waiting.push([request, response])
    if (this.#current === null) this.#next()
  }

  leave(): void {
    this.#left = true
    this.#socket.off('data', this.#read).off('end', this.#end).off('resume', this.#pump).off('drain', this.#pump)
  }

  giveUp(): void {
    this.#unread = NOTHING
    this.leave()
  }

  readonly #next = (): void => {
    // The waiting requests have lost their bodies with the connection.
    if (this.#socket.destroyed) return
    const turn = this.#waiting.shift()
    if (turn === undefined) {
      this.#current = null
      if (this.#holds) this.#socket.resume()
      this.#holds = false
      this.#pump()
      return
    }
    const [request, response] = turn
    this.#current = request
    response.once('close', () => (this.#waiting.length > 0 ? setImmediate(this.#next) : this.#next()))
    this.#handler(request, response)
  }

  readonly #read = (bytes: Buffer): void => {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    this.#pump()
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
    // Reading the body does not resume a connection that has ended, but the rest of its bytes is already here.
    return this.#ended || !this.#socket.isPaused()
  }

  /** Parses until another request is waiting. A body belongs to the request whose turn it is. */
  readonly #pump = (): void => {
    const socket = this.#socket
    while (this.#unread.length > 0 && this.#mayParse) {
      const piece = this.#unread.subarray(0, PIECE_BYTES)
      this.#unread = this.#unread.subarray(PIECE_BYTES)
      this.#parse(piece)
    }
    if (this.#left) {
      // No WebSocket client sends that much before the answer to its handshake.
      if (this.#unread.length > 0) socket.destroy()
    } else if (this.#unread.length > 0) {
      if (socket.isPaused()) return
      this.#holds = true
      socket.pause()
    } else if (this.#ended && this.#waiting.length === 0 && this.#current?.complete !== true) {
      // Not before the last answer: Node would close the connection.
      this.#ended = false
      this.#finish()
    }
  }
}

/** Replaces the listener added last with `listener`, and returns the replaced one. */
function takeOver(socket: Socket, event: 'data' | 'end', listener: (bytes: Buffer) => void): (bytes?: Buffer) => void {
  const former = socket.listeners(event).at(-1) as (bytes?: Buffer) => void
  socket.off(event, former).on(event, listener)
  return former
}
