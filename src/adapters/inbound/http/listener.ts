import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { handshakesInTurns } from '../../../lib/handshake-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { Places } from '../../../lib/places.ts'
import { READ_AHEAD_BYTES } from '../../../lib/read-ahead.ts'
import { boundConnections, CONNECTIONS_PER_ADDRESS, STALLED_MS } from './connections.ts'
import { WEBSOCKET_PATH } from './machines/websocket.ts'
import { isPlain } from './plain-request.ts'
import { envelope, type Problem, type ProblemKind, statusOf } from './problem.ts'
import { ownTurns, type SharedTurns, takeTurns } from './turns.ts'

/** Milliseconds. */
export type ListenerTimes = {
  /** For the complete headers, from the first byte or from the start of the connection. */
  readonly headersMs: number
  /** For the complete request, including the body. */
  readonly requestMs: number
  /** For the next request on an idle connection; longer than the minute for which most reverse proxies keep theirs. */
  readonly keepAliveMs: number
  /** How often connections are checked for the first two. */
  readonly checkMs: number
  /** For requests in progress when the listener closes. */
  readonly closeMs: number
  /** How long a peer may read nothing of a pending response. */
  readonly stalledMs: number
}

export const listenerTimes: ListenerTimes = {
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  closeMs: 3_000,
  stalledMs: STALLED_MS,
}

const MAX_HEADER_BYTES = 16 * 1024
/** Further ones are ignored. Each takes a hundred bytes of memory, and 16 KiB hold thousands. */
const MAX_HEADERS = 128
/** How long a connection may stay open after the answer to a client error. */
const LINGER_MS = 500

/** What the listeners of a process share. */
export type ListenerParts = {
  readonly times?: ListenerTimes
  /** Counts connections. */
  readonly places?: Places
  /** Whether the address is a trusted proxy, whose connections carry many clients. */
  readonly isProxy?: (address: string) => boolean
  /** Absent: the listener has turns of its own, and an address is its connection's. */
  readonly turns?: SharedTurns
}

/** For a listener on its own. */
const ownPlaces = (): Places =>
  new Places({ max: 16 * CONNECTIONS_PER_ADDRESS, maxPerAddress: CONNECTIONS_PER_ADDRESS })

/**
 * A Node server around `handler`, with time-outs for slow senders and readers, and with error bodies for input that
 * never becomes a request. Does not listen yet; `upgrade` listeners get only the WebSocket handshakes for `/mqtt`.
 */
export function createListener(handler: RequestListener, parts: ListenerParts = {}): Server {
  const { times = listenerTimes } = parts
  const upgrades = upgradesOf()
  const server = createServer({ ...optionsOf(times), shouldUpgradeCallback: upgrades.asked })
  return complete(server, handler, parts, upgrades)
}

/**
 * `createListener` for HTTPS. `secureContext`: certificate, key and related options; `setSecureContext` changes it
 * later.
 */
export function createSecureListener(
  handler: RequestListener,
  secureContext: SecureContextOptions,
  parts: ListenerParts = {},
): SecureServer {
  const { times = listenerTimes } = parts
  const upgrades = upgradesOf()
  // As over HTTP: a client that has said all it has to say still gets its answer, and what it said waits for its turn.
  const options = { ...optionsOf(times), ...secureContext, handshakeTimeout: times.headersMs, allowHalfOpen: true }
  const server = createSecureServer({ ...options, shouldUpgradeCallback: upgrades.asked })
  const turns = parts.turns ?? ownTurns()
  handshakesInTurns(server, turns.loop, times.headersMs)
  return complete(server, handler, { ...parts, turns }, upgrades)
}

/** Answers Node's question of which requests to upgrade; set once the server exists. */
type Upgrades = { asked: (request: IncomingMessage) => boolean; answer: (request: IncomingMessage) => boolean }

function upgradesOf(): Upgrades {
  const upgrades: Upgrades = { asked: (request) => upgrades.answer(request), answer: () => false }
  return upgrades
}

function complete<S extends Server | SecureServer>(
  server: S,
  handler: RequestListener,
  {
    times = listenerTimes,
    places = ownPlaces(),
    isProxy = () => false,
    turns: sharedTurns = ownTurns(),
  }: ListenerParts,
  upgrades: Upgrades,
): S {
  const { stalledMs, checkMs } = times
  server.maxHeadersCount = MAX_HEADERS
  const connections = boundConnections(server, { places, isProxy, stalledMs, checkMs })
  const turns = takeTurns(server, handler, { ...sharedTurns, speaks: connections.speaks })
  // Other protocols, such as `h2c`, may be ignored (RFC 9110, 7.8), and the request is served as it is.
  upgrades.answer = (request) => {
    const { url = '', headers, socket } = request
    const wanted = url.split('?', 1)[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
    const upgraded = wanted && isPlain(request) && server.listenerCount('upgrade') > 0
    if (upgraded) {
      connections.leaves(socket)
      turns.upgraded(socket)
    }
    return upgraded
  }
  const current = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => void current.set(request.socket, response))
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    turns.broken(socket)
    const answer = (): void => answerClientError(error, socket, current.get(socket))
    if (error.code !== LATE) return answer()
    // Node looks once a second for those that are late, and there may be thousands.
    const group = networkOf((socket as Socket).remoteAddress ?? '')
    sharedTurns.loop.start({ kind: 'connection', group, member: '' }, answer)
  })
  return server
}

const optionsOf = ({ headersMs, requestMs, keepAliveMs, checkMs }: ListenerTimes): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: checkMs,
  maxHeaderSize: MAX_HEADER_BYTES,
  highWaterMark: READ_AHEAD_BYTES,
  // Nothing here depends on the host, and Node's own refusal has no error body.
  requireHostHeader: false,
})

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'
const socketProblems: Readonly<Record<string, ProblemKind>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'TOO_LARGE',
  [LATE]: 'TIMEOUT',
}

const socketMessages: Partial<Record<ProblemKind, string>> = {
  HEADERS_TOO_LARGE: 'The request headers are too large.',
  TOO_LARGE: 'The chunk extensions are too large.',
  TIMEOUT: 'The request did not arrive in time.',
}

function problemAt(error: Error & { code?: string }): Problem {
  const kind = socketProblems[error.code ?? ''] ?? 'VALIDATION'
  return { kind, message: socketMessages[kind] ?? 'Not a valid HTTP request.' }
}

/** `response`: to the last request of this connection, if any. */
function answerClientError(error: Error, socket: Duplex, response: ServerResponse | undefined): void {
  const answered = response === undefined || response.writableFinished
  // The bytes after a complete request are broken, not the request itself: it still gets its answer, as the last one.
  if (!answered && response.req.complete && socket.writable) {
    response.shouldKeepAlive = false
    response.once('close', () => socket.destroy())
    return
  }
  if (socket.writableEnded) return
  // These are the rest of a body that has already been answered.
  const settled = response !== undefined && !response.req.complete && response.headersSent
  if (settled || !socket.writable) return void socket.destroy()
  socket.end(rawAnswer(problemAt(error)))
  // Closing immediately would reset the connection, and a client that is still sending would lose the answer.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(linger))
}

/** An answer to input that never became a request and so has no response object. */
function rawAnswer(problem: Problem): string {
  const requestId = randomUUID()
  const status = statusOf[problem.kind]
  const body = JSON.stringify(envelope(null, problem, requestId))
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
