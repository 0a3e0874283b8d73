import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Bytes of a connection that are parsed at once. The shortest request has 18, so a piece holds some two hundred: a few
 * milliseconds of work, where the 64 KiB that node reads at once would be fifty.
 */
const PIECE_BYTES = 4 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * Has `handler` take the requests of a connection one after the other, each when the one before is answered, and
 * reads no further ahead than one piece: whoever writes a thousand requests at once (pipelining) waits for a thousand
 * turns, between which everybody else has theirs. Nothing is refused for it, and nothing is lost. To be told of a
 * connection that becomes a WebSocket (`upgraded`), and of one whose bytes make no sense any more (`broken`): neither
 * is parsed any further.
 */
export function takeTurns(
  server: Server | SecureServer,
  handler: RequestListener,
): { readonly upgraded: (socket: object) => void; readonly broken: (socket: object) => void } {
  const lines = new WeakMap<object, Line>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    lines.set(socket, new Line(socket, handler))
  })
  const take: RequestListener = (request, response) => {
    const line = lines.get(request.socket)
    if (line === undefined) handler(request, response)
    else line.take(request, response)
  }
  // An expectation that we do not know is no reason to turn an alarm away.
  server.on('request', take).on('checkExpectation', take)
  return {
    upgraded: (socket) => lines.get(socket)?.leave(),
    broken: (socket) => lines.get(socket)?.giveUp(),
  }
}

/** The requests of one connection that wait for their turn, and the bytes behind them. */
class Line {
  readonly #socket: Socket
  readonly #handler: RequestListener
  readonly #parse: (bytes: Buffer) => void
  readonly #finish: () => void
  readonly #waiting: [IncomingMessage, ServerResponse][] = []
  /** Whose turn it is. */
  #current: IncomingMessage | null = null
  #unread: Buffer = NOTHING
  /** It was this line that paused the connection, and not node, which does so for reasons of its own. */
  #holds = false
  #ended = false
  #left = false

  /** Steps in between the connection and node's parser, which are wired to each other by then. */
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
    // Those that wait have lost their bodies with the connection.
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
   * Whether node's parser may be given more: it asks the connection to pause for a body that is not read fast enough,
   * or for answers that are not.
   */
  get #mayParse(): boolean {
    if (this.#waiting.length > 0 || this.#left || this.#socket.writableNeedDrain) return false
    // A connection that has ended is not resumed by whoever reads the body; what is left of it is here already.
    return this.#ended || !this.#socket.isPaused()
  }

  /** Parses on for as long as no further request waits. A body belongs to the request whose turn it is. */
  readonly #pump = (): void => {
    const socket = this.#socket
    while (this.#unread.length > 0 && this.#mayParse) {
      const piece = this.#unread.subarray(0, PIECE_BYTES)
      this.#unread = this.#unread.subarray(PIECE_BYTES)
      this.#parse(piece)
    }
    if (this.#left) {
      // Nobody sends that much for a WebSocket before the handshake is answered.
      if (this.#unread.length > 0) socket.destroy()
    } else if (this.#unread.length > 0) {
      if (socket.isPaused()) return
      this.#holds = true
      socket.pause()
    } else if (this.#ended && this.#waiting.length === 0 && this.#current?.complete !== true) {
      // Not before the last answer: node would close the connection.
      this.#ended = false
      this.#finish()
    }
  }
}

/** Puts `listener` in the place of the one that was added last, and gives that one. */
function takeOver(socket: Socket, event: 'data' | 'end', listener: (bytes: Buffer) => void): (bytes?: Buffer) => void {
  const former = socket.listeners(event).at(-1) as (bytes?: Buffer) => void
  socket.off(event, former).on(event, listener)
  return former
}
