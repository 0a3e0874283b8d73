import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { LoopCaller, LoopTurns } from '../../../../lib/loop-turns.ts'
import type { Moment } from '../../../../lib/loop-watch.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import type { Place } from '../../../../lib/places.ts'
import { ReaderProgress } from '../../../../lib/reader-progress.ts'
import type { Unread } from '../../../../lib/unread.ts'
import type { Pace, Paced } from '../../door/paced.ts'
import { bind } from './client.ts'
import { kindOf, onlyReads } from './request-caller.ts'
import { RequestPieces } from './request-pieces.ts'

/** The first line of an alarm is shorter. */
const FIRST_LINE_BYTES = 200

/** Time for the headers, and for a whole request, in ms. */
type Times = { readonly headersMs: number; readonly requestMs: number }

type LineNeeds = { readonly handler: RequestListener; readonly loop: LoopTurns }

/**
 * The pace of a connection that carries HTTP: its requests are handled one after another, each once the previous one is
 * answered, and little behind them is parsed. A client that pipelines a thousand requests, or cuts its bodies into
 * single bytes, waits for a thousand turns, with other clients' turns in between. Nothing is refused. A complete
 * request is handled even if its client has gone by then, unless it only reads: an SOS must not be lost with the cell.
 *
 * Its place counts as resting unless a complete request is being worked on: silent and idle connections, incomplete
 * requests and readers of responses are closed first to make room.
 */
export class Line implements Pace {
  readonly connection: Paced
  readonly place: Place
  readonly #needs: LineNeeds
  readonly #network: string
  readonly #waiting: [IncomingMessage, ServerResponse][] = []
  /** The request whose turn it is. */
  #current: IncomingMessage | null = null
  readonly #pieces = new RequestPieces()
  readonly #progress = new ReaderProgress()
  /** The request whose head the parser has just found. */
  #found: IncomingMessage | null = null
  /** The response to the last request that the parser has found. */
  last: ServerResponse | undefined
  /** Whether nothing of the next request has come. */
  #isSilent = true
  #left = false

  constructor(connection: Paced, place: Place, needs: LineNeeds) {
    this.connection = connection
    this.place = place
    this.#needs = needs
    this.#network = networkOf(connection.remoteAddress)
  }

  /** Node's parser has found this request. */
  request(request: IncomingMessage, response: ServerResponse): void {
    const { place } = this
    if (hasBody(request)) request.once('end', () => response.writableEnded || place.works())
    else place.works()
    // Once the response is complete: a slow reader may be closed to make room for another connection.
    response.once('prefinish', () => place.rests())
    response.once('close', () => place.rests())
    this.#found = request
    this.last = response
    bind(request, { line: this, response, since: this.#pieces.first ?? this.connection.unread.since })
    this.#waiting.push([request, response])
    if (this.#current === null) this.#next()
  }

  /** The connection becomes something else: nothing more of it is parsed, and it gives up its place here. */
  leave(): void {
    this.#left = true
    this.place.leaves()
  }

  /** Its input is invalid or late: the rest is useless. */
  breakOff(): void {
    this.#left = true
    this.connection.ignore()
  }

  /** Whether a further request waits for the answer to the current one. */
  get isFollowed(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether its last request is answered and nothing of the next one has come. */
  get isIdle(): boolean {
    return this.#current === null && this.#pieces.begunAt === null && this.connection.unread.length === 0
  }

  /** Whether a request that has begun, or the first one, has not come in time. `now` in monotonic ms. */
  isLate(now: number, { headersMs, requestMs }: Times): boolean {
    if (this.#left) return false
    const since = this.#pieces.begunAt
    return since !== null && now - since >= (this.#pieces.isHead ? headersMs : requestMs)
  }

  /** For how long its client has taken nothing of an answer, in ms. Answers are written in small pieces. */
  stalledMs(now: number): number {
    const { bytesSent: sent, writableLength: waiting } = this.connection
    return this.#progress.stalledMs(now, { sent, waiting })
  }

  readonly #next = (): void => {
    // The waiting requests have lost their bodies with the connection.
    if (this.connection.destroyed) return
    const turn = this.#waiting.shift()
    if (turn === undefined) {
      this.#current = null
      this.#isSilent = this.connection.unread.length === 0
      this.connection.pump()
      return
    }
    const [request, response] = turn
    this.#current = request
    response.once('close', () => (this.#waiting.length > 0 ? setImmediate(this.#next) : this.#next()))
    // The client has gone. The answer is made all the same: the next one comes after it.
    if (this.connection.isBroken && onlyReads(request)) response.end()
    else this.#needs.handler(request, response)
    // Its body may be among the unread bytes.
    this.connection.pump()
  }

  /** By address: the bytes do not tell yet whose they are. */
  inTurn(unread: Buffer, pass: () => void): void {
    const claim = this.#current !== null && !this.#current.complete ? this.#current : firstLineOf(unread)
    const caller: LoopCaller = { kind: kindOf(claim), group: this.#network, member: '' }
    this.#needs.loop.run(caller, pass)
  }

  /** A body belongs to the request whose turn it is. A client that does not take its answers is not read from. */
  isReady(): boolean {
    return !this.#left && this.#waiting.length === 0 && !this.connection.writableNeedDrain
  }

  take(unread: Unread, since: Moment): Buffer {
    this.#found = null
    return unread.take(this.#pieces.next(unread.bytes, since))
  }

  passed(piece: Buffer): void {
    this.#pieces.parsed(piece, this.#found)
  }

  /** Not before the last answer: Node would close the connection. */
  mayEnd(): boolean {
    return this.#waiting.length === 0 && this.#current?.complete !== true
  }

  isOwed(unread: number): boolean {
    if (this.#left) return false
    if (unread > 0 || this.#waiting.length > 0) return true
    return this.#current?.complete === true && !onlyReads(this.#current)
  }

  came(): void {
    if (this.#isSilent) this.place.rests()
    this.#isSilent = false
  }
}

/** Method and path of a request, if the bytes begin with one. */
function firstLineOf(bytes: Buffer): { readonly method: string; readonly url: string } {
  const [method = '', url = ''] = bytes.toString('latin1', 0, FIRST_LINE_BYTES).split(' ', 2)
  return { method, url }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
