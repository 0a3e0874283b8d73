import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkEvery, inSteps } from '../../../../lib/in-steps.ts'
import type { Place } from '../../../../lib/places.ts'
import { ReaderProgress } from '../../../../lib/reader-progress.ts'
import type { Paced } from '../../door/paced.ts'
import type { Line } from './line.ts'

/**
 * Connections of one address on both listeners together. Behind a proxy all clients share one address, so this must be
 * at least 1,000.
 */
export const CONNECTIONS_PER_ADDRESS = 1_000

/** Milliseconds. */
export type ListenerTimes = {
  /** For a TLS handshake, from the start of the connection. */
  readonly handshakeMs: number
  /** For the complete headers, from the first byte or from the start of the connection. */
  readonly headersMs: number
  /** For the complete request, including the body. */
  readonly requestMs: number
  /** For the next request on an idle connection; longer than the minute for which most reverse proxies keep theirs. */
  readonly keepAliveMs: number
  /** Interval of the checks of headers and requests, and of peers that read nothing. */
  readonly checkMs: number
  /** For requests in progress when the listener closes. */
  readonly closeMs: number
  /** A peer that reads nothing of a pending response for so long is disconnected. */
  readonly stalledMs: number
}

export const listenerTimes: ListenerTimes = {
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  closeMs: 3_000,
  stalledMs: 30_000,
}

type Connection = {
  readonly line: Line
  readonly place: Place
  readonly progress: ReaderProgress
}

/** The open connections by their stream, which a request has as its socket. */
const connections = new WeakMap<object, Connection>()

/** Lets another connection replace this request's before its answer, which is a delayed refusal. */
export const yieldPlace = ({ socket }: IncomingMessage): void => connections.get(socket)?.place.rests()

/**
 * The open connections of a listener. Each has a place, which counts as resting unless a complete request is being
 * worked on: silent and idle connections, incomplete requests and readers of responses are closed first to make room.
 */
export class Connections {
  readonly #open = new Set<Paced>()
  readonly #times: ListenerTimes
  readonly #stop: () => void

  /** `late`: called with a connection whose request has not come in time. */
  constructor(times: ListenerTimes, late: (connection: Paced) => void) {
    this.#times = times
    this.#stop = checkEvery(times.checkMs, (now) =>
      inSteps(this.#open, (paced) => this.#check(paced, now, () => late(paced))),
    )
  }

  add(paced: Paced, line: Line, place: Place): void {
    connections.set(paced, { line, place, progress: new ReaderProgress() })
    this.#open.add(paced)
    paced.once('close', () => {
      this.#open.delete(paced)
      place.leaves()
    })
  }

  /** The requests of this connection; undefined for a stream that is none of ours. */
  lineOf(stream: object): Line | undefined {
    return connections.get(stream)?.line
  }

  /** Node's parser has found this request. */
  requested(request: IncomingMessage, response: ServerResponse): void {
    const { line, place } = connections.get(request.socket)!
    if (hasBody(request)) request.once('end', () => response.writableEnded || place.works())
    else place.works()
    // Once the response is complete: a slow reader may be closed to make room for another connection.
    response.once('prefinish', () => place.rests())
    response.once('close', () => place.rests())
    line.request(request, response)
  }

  /** Something else takes over the connection, so it gives up its place here. */
  leaves(stream: object): void {
    const connection = connections.get(stream)
    connection?.line.leave()
    connection?.place.leaves()
    this.#open.delete(stream as Paced)
  }

  /** Ends those that wait for their next request. */
  endIdle(): void {
    for (const paced of this.#open) if (connections.get(paced)!.line.isIdle) paced.destroy()
  }

  /** Ends all of them. */
  end(): void {
    for (const paced of this.#open) paced.destroy()
  }

  /** They are no longer checked. */
  close(): void {
    this.#stop()
  }

  /** Responses are written in small pieces, so slow readers still show progress. */
  #check(paced: Paced, now: number, late: () => void): void {
    const { line, progress } = connections.get(paced)!
    const { bytesSent: sent, writableLength: waiting } = paced
    if (line.isLate(now, this.#times)) late()
    else if (progress.stalledMs(now, { sent, waiting }) >= this.#times.stalledMs) paced.destroy()
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
