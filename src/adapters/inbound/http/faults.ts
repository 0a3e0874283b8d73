import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../../../ports/log.ts'
import { StoreError } from '../../../ports/store.ts'
import { answer, type FamilyName, type Problem, RequestProblem } from './problem.ts'

/** How long a client should wait for a store that cannot write, in seconds. */
const retryAfter = {
  overloaded: '2',
  busy: '1',
  closed: '5',
  fault: '5',
  disk_reserve: '30',
  disk_full: '30',
} as const satisfies Record<StoreError['kind'], string>

const TOO_LARGE: Problem = { kind: 'TOO_LARGE', message: 'The body is too large.' }
export const UNSUPPORTED_MEDIA: Problem = {
  kind: 'UNSUPPORTED_MEDIA',
  message: 'The body must be application/json in UTF-8, without a content encoding.',
}
const MALFORMED: Problem = { kind: 'VALIDATION', message: 'The request is malformed.' }

/** Fastify's own errors that a client can cause. */
const clientFaults: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: UNSUPPORTED_MEDIA,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: MALFORMED,
  // A body that breaks off: nobody is left to read the answer.
  ECONNRESET: MALFORMED,
}

/** The answer to whatever was thrown while a request was worked on. Text of a fault never reaches the answer. */
export function problemOfFault(error: unknown): Problem {
  if (error instanceof RequestProblem) return error.problem
  if (error instanceof StoreError) {
    const headers = { 'retry-after': retryAfter[error.kind] }
    return { kind: 'UNAVAILABLE', message: 'The request could not be stored. Please try again.', headers }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return clientFaults[code] ?? { kind: 'INTERNAL', message: 'Internal error. Please try again.' }
}

/** The error handler of a family, or of what belongs to none. */
export const answerFault =
  (family: FamilyName | null, log: Log) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    logFault(log, request, error)
    // Fastify would close the connection, and with it the answer may be lost to a client that is still sending. Node
    // reads the rest of the body and throws it away, for as long as the request's time-out allows.
    if (reply.getHeader('connection') === 'close') reply.removeHeader('connection')
    return answer(reply, family, problemOfFault(error))
  }

/**
 * Logs a fault (not what the client caused) with the route's pattern. The values in the path are taken out of the
 * error's own text: a tracking token or a contact's id must not end up in a log.
 */
export function logFault(log: Log, request: FastifyRequest, error: unknown): void {
  if (error instanceof RequestProblem) return
  const problem = problemOfFault(error)
  if (problem.kind !== 'INTERNAL' && problem.kind !== 'UNAVAILABLE') return
  const about = { requestId: request.id, route: routeOf(request) }
  const text = withoutPathValues(request, error instanceof Error ? (error.stack ?? error.message) : String(error))
  if (error instanceof StoreError)
    log.error({ ...about, kind: error.kind, error: text }, 'a request failed in the store')
  else log.error({ ...about, error: text }, 'a request failed')
}

/** Method and pattern of the route, or `unmatched`: as many values as there are routes. */
export const routeOf = ({ method, routeOptions }: FastifyRequest): string =>
  routeOptions.url === undefined ? 'unmatched' : `${method} ${routeOptions.url}`

function withoutPathValues({ params }: FastifyRequest, text: string): string {
  const values = Object.values((params ?? {}) as Record<string, unknown>)
  return values.reduce<string>(
    (kept, value) => (typeof value === 'string' && value !== '' ? kept.replaceAll(value, '…') : kept),
    text,
  )
}
