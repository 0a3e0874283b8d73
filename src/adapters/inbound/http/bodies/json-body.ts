import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { UNSUPPORTED_MEDIA } from '../answers/faults.ts'
import { type Problem, RequestProblem } from '../problem.ts'
import { userTurns } from './user-turns.ts'
import { bodyOrNothing } from './whole-body.ts'

const JSON_TYPE = /^\s*application\/json\s*(;.*)?$/i
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(;.*)?$/i
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** True for JSON in UTF-8. A body without a content type counts as JSON: small firmware often sends none. */
function isJson({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  const type = headers['content-type'] ?? 'application/json'
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8'
  return encoding.toLowerCase() === 'identity' && JSON_TYPE.test(type) && /^utf-?8$/i.test(charset)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const malformed = (message: string) => new RequestProblem({ kind: 'VALIDATION', message })

/**
 * Parses JSON with plain `JSON.parse`: it is not recursive, so the body limit alone bounds the depth. A `__proto__` key
 * becomes an ordinary own property, which validation reports.
 */
function readJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed('The body is empty. It must be JSON.')
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    throw malformed('The body is not valid JSON in UTF-8.')
  }
}

/** Routes of this scope take JSON and refuse anything else before reading it. */
export const takeJson = (scope: FastifyInstance): void => takeOnly(scope, isJson)

/** Routes of this scope take JSON or a form, as brokers send it. */
export function takeJsonOrForm(scope: FastifyInstance): void {
  takeOnly(scope, (request) => isForm(request) || isJson(request))
  scope.register(formbody)
}

const isForm = ({ headers }: FastifyRequest): boolean => FORM_TYPE.test(headers['content-type'] ?? '')

const CSV_TYPE = /^\s*text\/csv\s*(;.*)?$/i
const NOT_CSV: Problem = { kind: 'UNSUPPORTED_MEDIA', message: 'The body must be text/csv in UTF-8.' }

/** Routes of this scope take the text of a CSV file. */
export function takeCsv(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const turn = userTurns(scope)
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await turn(request)
    try {
      return utf8.decode(body)
    } catch {
      throw malformed('The file is not UTF-8. Save it as CSV in UTF-8.')
    }
  })
  scope.addHook('preParsing', async ({ headers }) => {
    const encoding = headers['content-encoding'] ?? 'identity'
    const type = headers['content-type'] ?? ''
    const isUtf8 = /^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8')
    if (encoding !== 'identity' || !CSV_TYPE.test(type) || !isUtf8) throw new RequestProblem(NOT_CSV)
  })
}

function takeOnly(scope: FastifyInstance, isReadable: (request: FastifyRequest) => boolean): void {
  const turn = userTurns(scope)
  scope.removeAllContentTypeParsers()
  // With it goes whatever follows until something is waited for.
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await turn(request)
    return readJson(body)
  })
  scope.addHook('preParsing', async (request) => {
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    if (hasBody && !isReadable(request)) throw new RequestProblem(UNSUPPORTED_MEDIA)
  })
}

/** Routes of this scope take bytes of any content type, or none, and read them themselves, each request in its turn. */
export function takeBytes(scope: FastifyInstance, bodyLimit: number): void {
  const turn = userTurns(scope)
  countAs(scope, 'application/octet-stream')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, body: Buffer) => {
    await turn(request)
    return body
  })
}

/**
 * Routes of this scope take bytes of any content type, or none, and read them themselves. What is too long for them
 * counts as nothing.
 */
export function acceptAnyBody(scope: FastifyInstance): void {
  const turn = userTurns(scope)
  ignoreBody(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: RequestPayload) => {
    const body = await bodyOrNothing(payload, request.routeOptions.bodyLimit)
    await turn(request)
    return body
  })
}

/** The body of a request in such a scope. */
export const bodyBytes = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/** The JSON in these bytes; undefined if they are none. */
export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** Routes of this scope ignore any body and content type; the body is never kept (protocol.md#rest). */
export function ignoreBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, ignoresBody: true }
  })
  countAs(scope, undefined)
}

/**
 * Requests of this scope count as of this content type, or of none: Fastify refuses a malformed one, as proxies and
 * trackers send it, before it looks for a parser.
 */
function countAs(scope: FastifyInstance, type: string | undefined): void {
  scope.addHook('onRequest', async (request) => {
    request.headers = { 'content-type': type }
  })
}
