import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../../../../ports/log.ts'
import { StoreError } from '../../../../ports/store.ts'
import { answer, type FamilyName, type Problem, RequestProblem } from '../problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The path's pattern, if the path has routes but none for this method. */
    refusedAt: string | null
  }
}

/** Seconds that a client should wait while the store cannot write. */
const retryAfter = {
  overloaded: '2',
  busy: '1',
  closed: '5',
  unreachable: '2',
  unknown: '2',
  fault: '5',
  disk_reserve: '30',
  disk_full: '30',
} as const satisfies Record<StoreError['kind'], string>

export const TOO_LARGE: Problem = { kind: 'TOO_LARGE', message: 'The body is too large.' }
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
  // An aborted body: the client is no longer there to read the answer.
  ECONNRESET: MALFORMED,
}

/** The answer to any error thrown while handling a request. An internal error's text never reaches the client. */
export function problemOfFault(error: unknown): Problem {
  if (error instanceof RequestProblem) return error.problem
  if (error instanceof StoreError) {
    const headers = { 'retry-after': retryAfter[error.kind] }
    return { kind: 'UNAVAILABLE', message: 'The request could not be stored. Please try again.', headers }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return clientFaults[code] ?? { kind: 'INTERNAL', message: 'Internal error. Please try again.' }
}

/** The error handler of a family; null for routes outside the families. */
export const answerFault =
  (family: FamilyName | null, log: Log) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    logFault(log, request, error)
    // Fastify would close the connection, and a client that is still sending could lose the answer. Node reads and
    // discards the rest of the body, for as long as the request time-out allows.
    if (reply.getHeader('connection') === 'close') reply.removeHeader('connection')
    return answer(reply, family, problemOfFault(error))
  }

/**
 * Logs a fault, but not a client's mistake, with the route's pattern. Removes path values from the error text: no
 * tracking token or contact id may end up in a log.
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

/** Method and pattern of the route, or `unmatched`, so that there are only as many values as routes. */
export function routeOf({ method, routeOptions, refusedAt }: FastifyRequest): string {
  const pattern = routeOptions.url ?? refusedAt
  return pattern === null ? 'unmatched' : `${method} ${pattern}`
}

function withoutPathValues({ params }: FastifyRequest, text: string): string {
  const values = Object.values((params ?? {}) as Record<string, unknown>)
  return values.reduce<string>(
    (kept, value) => (typeof value === 'string' && value !== '' ? kept.replaceAll(value, '…') : kept),
    text,
  )
}
