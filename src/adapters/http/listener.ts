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
import { envelope, type Problem, type ProblemKind, statusOf } from './problem.ts'
import { WEBSOCKET_PATH } from './routes/websocket.ts'
import { boundSilent, SILENT_PER_ADDRESS } from './silent-connections.ts'

/** Milliseconds. */
export type ListenerTimes = {
  /** For the complete headers, from the first byte or from the connection on. */
  readonly headersMs: number
  /** For the complete request, body included. */
  readonly requestMs: number
  /** For the next request on an idle connection; longer than the minute that most reverse proxies keep theirs. */
  readonly keepAliveMs: number
  /** How often connections are looked through for the first two. */
  readonly checkMs: number
  /** For requests that are under way when the listener closes. */
  readonly closeMs: number
}

export const listenerTimes: ListenerTimes = {
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  closeMs: 3_000,
}

const MAX_HEADER_BYTES = 16 * 1024
/** How long a connection may stay after the answer to a client error. */
const LINGER_MS = 500

/**
 * A node server around `handler`, with time-outs that end slow senders and with error bodies for what never becomes a request. Not
 * listening yet; `upgrade` listeners get WebSocket handshakes for `/mqtt` and nothing else.
 */
export function createListener(handler: RequestListener, times: ListenerTimes = listenerTimes): Server {
  const options = {
    ...optionsOf(times),
    shouldUpgradeCallback: upgradesOf(
      () => server,
      (socket) => heard(socket),
    ),
  }
  const server: Server = createServer(options, handler)
  const heard = boundSilent(server, SILENT_PER_ADDRESS)
  return completed(server, handler)
}

/** `createListener` for HTTPS. `secureContext`: certificate, key and what goes with them; `setSecureContext` changes it later. */
export function createSecureListener(
  handler: RequestListener,
  secureContext: SecureContextOptions,
  times: ListenerTimes = listenerTimes,
): SecureServer {
  const options = { ...optionsOf(times), ...secureContext, handshakeTimeout: times.headersMs }
  const server: SecureServer = createSecureServer(
    {
      ...options,
      shouldUpgradeCallback: upgradesOf(
        () => server,
        (socket) => heard(socket),
      ),
    },
    handler,
  )
  const heard = boundSilent(server, SILENT_PER_ADDRESS)
  return completed(server, handler)
}

/** Others, such as `h2c`, may be ignored (RFC 9110, 7.8), and the request is served as it is. `heard`: told of what is upgraded. */
const upgradesOf =
  (server: () => Server | SecureServer, heard: (socket: Socket) => void) =>
  ({ url = '', headers, socket }: IncomingMessage): boolean => {
    const wanted = url.split('?', 1)[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
    const upgrades = wanted && server().listenerCount('upgrade') > 0
    if (upgrades) heard(socket)
    return upgrades
  }

function completed<S extends Server | SecureServer>(server: S, handler: RequestListener): S {
  // An expectation that we do not know is no reason to turn an alarm away.
  server.on('checkExpectation', handler)
  const current = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => void current.set(request.socket, response))
  server.on('clientError', (error, socket) => answerClientError(error, socket, current.get(socket)))
  return server
}

const optionsOf = ({ headersMs, requestMs, keepAliveMs, checkMs }: ListenerTimes): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: checkMs,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Nothing here depends on the host, and node's own refusal has no error body.
  requireHostHeader: false,
})

const socketProblems: Readonly<Record<string, ProblemKind>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'TIMEOUT',
}

const socketMessages: Partial<Record<ProblemKind, string>> = {
  HEADERS_TOO_LARGE: 'The request headers are too large.',
  TOO_LARGE: 'The chunk extensions are too large.',
  TIMEOUT: 'The request took too long to arrive.',
}

function problemAt(error: Error & { code?: string }): Problem {
  const kind = socketProblems[error.code ?? ''] ?? 'VALIDATION'
  return { kind, message: socketMessages[kind] ?? 'This is no valid HTTP request.' }
}

/** `response`: to the last request of this connection, if there was one. */
function answerClientError(error: Error, socket: Duplex, response: ServerResponse | undefined): void {
  const answered = response === undefined || response.writableFinished
  // What came after a complete request is broken, and not that request: its answer is still owed, and the last one.
  if (!answered && response.req.complete && socket.writable) {
    response.shouldKeepAlive = false
    response.once('close', () => socket.destroy())
    return
  }
  if (socket.writableEnded) return
  // The rest of a body whose answer has been given already.
  const settled = response !== undefined && !response.req.complete && response.headersSent
  if (settled || !socket.writable) return void socket.destroy()
  socket.end(rawAnswer(problemAt(error)))
  // Closing at once would reset the connection, and the answer be lost to a client that is still sending.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(linger))
}

/** An answer to something that never became a request, and so has no response to write it with. */
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
