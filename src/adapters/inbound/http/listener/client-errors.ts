import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { envelope, type Problem, type ProblemKind, statusOf } from '../problem.ts'

/** A connection may stay open so long after the answer to a client error. */
const LINGER_MS = 500

/** A request that did not come in time. */
export class LateRequest extends Error {
  readonly code = LATE
}

const LATE = 'LATE'
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

/**
 * Answers input that is not a valid request, and closes the connection. `response`: to the last request of this
 * connection, if any.
 */
export function answerClientError(error: Error, socket: Duplex, response: ServerResponse | undefined): void {
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
