import type { FastifyReply } from 'fastify'
import type { FieldProblem } from '../../../core/ingest/fields.ts'

/** Route families whose names are part of their error codes (protocol.md#errors). */
export type FamilyName =
  | 'PROFILE'
  | 'SOS'
  | 'EVENTS'
  | 'MESSAGES'
  | 'TELEMETRY'
  | 'CONTACTS'
  | 'DEVICES'
  | 'CONFIG'
  | 'FEEDBACK'
  | 'TIMERS'
  | 'DRILLS'
  | 'TOKEN'
  | 'MQTT'
  | 'APP'
  | 'OPERATOR'

/** The last part of an error code, and its status (protocol.md#errors). */
export const statusOf = {
  VALIDATION: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TIMEOUT: 408,
  CONFLICT: 409,
  LIMIT: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const

export type ProblemKind = keyof typeof statusOf

/** Why a request failed, independent of how the answer is written. */
export type Problem = {
  readonly kind: ProblemKind
  readonly message: string
  readonly fields?: readonly FieldProblem[]
  /** A reason within the kind that programs can tell apart, and its details (operator API). */
  readonly more?: { readonly reason?: string; readonly [what: string]: unknown }
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A problem as an Error, for parsers and validators, where Fastify accepts nothing else. */
export class RequestProblem extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'RequestProblem'
    this.problem = problem
  }
}

export const invalid = (fields: readonly FieldProblem[]): Problem => ({
  kind: 'VALIDATION',
  message: `The request has invalid fields: ${[...new Set(fields.map(({ field }) => field))].join(', ')}.`,
  fields,
})

export const UNAUTHORIZED: Problem = {
  kind: 'UNAUTHORIZED',
  message: 'A valid X-App-ID, X-User-ID and Authorization: Bearer <user_hash> are needed.',
  headers: { 'www-authenticate': 'Bearer' },
}

export const NOTHING_HERE: Problem = { kind: 'NOT_FOUND', message: 'There is nothing at this path.' }

/**
 * `E_SDK_<FAMILY>_<KIND>`, `E_OPERATOR_<KIND>` in the operator API, `E_APP_<KIND>` in that of the app in the box, or
 * `E_<KIND>` outside the families.
 */
export function errorCodeOf(family: FamilyName | null, kind: ProblemKind): string {
  if (family === null) return `E_${kind}`
  return family === 'OPERATOR' || family === 'APP' ? `E_${family}_${kind}` : `E_SDK_${family}_${kind}`
}

/** The error body of protocol.md#errors. */
export const envelope = (family: FamilyName | null, { kind, message, fields, more }: Problem, requestId: string) => ({
  error: { code: errorCodeOf(family, kind), message, requestId, ...(fields && { fields }), ...more },
})

/** Answers with the error body. */
export function answer(reply: FastifyReply, family: FamilyName | null, problem: Problem): FastifyReply {
  return reply
    .code(statusOf[problem.kind])
    .headers(problem.headers ?? {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope(family, problem, reply.request.id)))
}
