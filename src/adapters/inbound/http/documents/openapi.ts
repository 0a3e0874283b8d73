import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { release } from '../../../../lib/release.ts'
import { errorCodeOf, type FamilyName, type ProblemKind, statusOf } from '../problem.ts'
import { Shapes } from './shapes.ts'

/** The parts of an OpenAPI document that are used here. */
type Content = Record<string, { schema: object; example?: unknown }>
type Operation = {
  readonly operationId: string
  readonly parameters?: readonly object[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { description: string; headers?: object; content?: Content }>>
}
export type OpenApiDocument = {
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

/** The readers of a document, each with routes of their own. */
export type Readership = 'apps' | 'operator' | 'broker'

const infos = {
  apps: {
    title: 'Tocsin',
    description:
      'Emergency SOS alerts over REST, for apps. Events, and the preferred way to send alerts, are on MQTT: see `/asyncapi.json`. Routes of operators are in `/openapi-operator.json`, those that an MQTT broker calls in `/openapi-broker.json`.',
  },
  operator: {
    title: 'Tocsin for operators',
    description:
      'Everything that the console does, and what trackers, network servers and providers call. For apps: `/openapi.json`.',
  },
  broker: {
    title: 'Tocsin for MQTT brokers',
    description: 'What an external MQTT broker asks before it lets a client in. For apps: `/openapi.json`.',
  },
} as const satisfies Record<Readership, object>

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const

const securitySchemes: Readonly<Record<string, object>> = {
  appId: header('X-App-ID', 'Identifier of the integrating application'),
  userId: header('X-User-ID', 'The external user id, in UTF-8'),
  userToken: header('X-User-Token', 'A token from POST /v1/sdk/token'),
  userHash: { type: 'http', scheme: 'bearer', description: 'Hex HMAC-SHA256 of the external user id' },
  operatorSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-tocsin',
    description: 'A session of the console; changes also need X-Tocsin-Console: 1 and an Origin',
  },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'An API token of the operator API' },
  trackerToken: { type: 'http', scheme: 'basic', description: 'Any user name, and the token of the tracker' },
  networkServerToken: { type: 'http', scheme: 'bearer', description: '`token` of this network server' },
  twilioSignature: header('X-Twilio-Signature', 'Twilio’s signature over the address and the form'),
}

/**
 * The OpenAPI 3.1 document of these routes. Made a route at a time: all of them at once would hold up an alarm for a
 * third of a second.
 */
export async function openApiOf(
  routes: readonly RouteOptions[],
  reader: Readership = 'apps',
): Promise<OpenApiDocument> {
  const shapes = new Shapes()
  const codes = new Set(anywhere.map((kind) => errorCodeOf(null, kind)))
  const used = new Set<string>()
  const ids = new Set<string>()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const { method, url, schema, config = {} } = route
    if (method === 'HEAD' || schema === undefined || schema.hide === true) continue
    const { operationId, description, security = [] } = schema
    if (operationId === undefined || description === undefined)
      throw new TypeError(`${method} ${url} has no description`)
    if (ids.has(operationId)) throw new TypeError(`${operationId} is the id of two routes`)
    ids.add(operationId)
    await nextTurn()
    const operation = operationOf(route, operationId, shapes)
    for (const name of security.flatMap((ways) => Object.keys(ways))) used.add(name)
    for (const code of codesOf(config.family ?? null, Object.keys(operation.responses))) codes.add(code)
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [String(method).toLowerCase()]: operation }
  }
  if (ERROR_CODE in shapes.schemas) shapes.schemas[ERROR_CODE] = { type: 'string', enum: [...codes].toSorted() }
  return {
    ...{
      openapi: '3.1.0',
      info: { version: release.version, ...infos[reader] },
      servers: [{ url: '/', description: 'The service that this document comes from' }],
    },
    components: {
      schemas: shapes.schemas,
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name))),
    },
    paths,
  }
}

/** The schema of `code` in an error, whose values are those of the document's routes. */
const ERROR_CODE = 'ErrorCode'
/** The answers that a request can get before its route is known. */
const anywhere: readonly ProblemKind[] = [
  'VALIDATION',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TIMEOUT',
  'HEADERS_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
]

/** The codes that a route may answer with; a fault is possible everywhere. */
function codesOf(family: FamilyName | null, statuses: readonly string[]): readonly string[] {
  const kinds = Object.entries(statusOf) as [ProblemKind, number][]
  return kinds.flatMap(([kind, status]) =>
    kind === 'INTERNAL' || statuses.includes(String(status)) ? errorCodeOf(family, kind) : [],
  )
}

function operationOf({ schema = {}, config = {} }: RouteOptions, operationId: string, shapes: Shapes): Operation {
  const { summary, tags, description, security, params, querystring, body, response } = schema
  const { consumes = ['application/json'], examples = {} } = schema
  const parameters = [
    ...parametersOf(querystring, 'query', examples.parameters, shapes),
    ...parametersOf(params, 'path', examples.parameters, shapes),
  ]
  return {
    operationId,
    ...{ summary, tags, description },
    ...(parameters.length > 0 && { parameters }),
    ...(body instanceof z.ZodType && { requestBody: bodyOf(body, consumes, examples.body, shapes) }),
    ...(security !== undefined && { security }),
    responses: responsesOf(response as Responses, config.family ?? null, examples.answers, shapes),
  }
}

function parametersOf(
  schema: unknown,
  place: 'query' | 'path',
  examples: Readonly<Record<string, unknown>> = {},
  shapes: Shapes,
): readonly object[] {
  if (!(schema instanceof z.ZodType)) return []
  const { properties = {}, required = [] } = shapes.of(schema, 'input') as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...one }]) => ({
    ...{ name, in: place, required: place === 'path' || required.includes(name), schema: one },
    ...(description !== undefined && { description }),
    ...(examples[name] !== undefined && { example: examples[name] }),
  }))
}

const bodyOf = (body: z.ZodType, types: readonly string[], example: unknown, shapes: Shapes) => ({
  required: !body.safeParse(undefined).success,
  content: contentOf(types, shapes.of(body, 'input'), example),
})

const contentOf = (types: readonly string[], schema: object, example: unknown): Content =>
  Object.fromEntries(types.map((type) => [type, { schema, ...(example !== undefined && { example }) }]))

/** By status: the schema of its JSON, or of each of its content types. */
type Responses = Readonly<
  Record<string, z.ZodType | { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }>
>

function responsesOf(
  responses: Responses = {},
  family: FamilyName | null,
  examples: Readonly<Record<number, unknown>> = {},
  shapes: Shapes,
): Operation['responses'] {
  const described = Object.entries(responses).map(([status, answer]) => {
    const meant = (family === 'OPERATOR' ? operatorStatuses[status] : undefined) ?? statuses[status]
    const { description = 'Done', kind } = meant ?? {}
    const own = answer instanceof z.ZodType ? z.globalRegistry.get(answer)?.description : undefined
    const example = examples[Number(status)] ?? (kind && errorExample(family, kind, description))
    return [
      status,
      {
        description: own ?? description,
        ...(kind !== undefined && waits.has(kind) && { headers: { 'Retry-After': retryAfter } }),
        ...contentIn(answer, example, shapes),
      },
    ] as const
  })
  return Object.fromEntries(described)
}

function contentIn(answer: Responses[string], example: unknown, shapes: Shapes): { readonly content?: Content } {
  if (!(answer instanceof z.ZodType)) {
    const types = Object.entries(answer.content)
    return {
      content: Object.assign(
        {},
        ...types.map(([type, { schema }]) => contentOf([type], shapes.of(schema, 'output'), example)),
      ),
    }
  }
  const schema = shapes.of(answer, 'output')
  return schema.type === 'null' ? {} : { content: contentOf(['application/json'], schema, example) }
}

const waits: ReadonlySet<ProblemKind> = new Set(['RATE_LIMITED', 'UNAVAILABLE'])
const retryAfter = { description: 'Seconds to wait before the next try', schema: { type: 'integer', minimum: 0 } }

/** Meanings of the statuses unless an operation says otherwise. */
const statuses: Readonly<Record<string, { readonly description: string; readonly kind?: ProblemKind }>> = {
  '200': { description: 'Done' },
  '201': { description: 'Created' },
  '202': { description: 'Accepted and stored on disk' },
  '204': { description: 'Done. The response has no body' },
  '400': { description: 'The request is malformed or has invalid fields, listed in `fields`', kind: 'VALIDATION' },
  '401': { description: 'The credentials are missing or invalid. The reason is not given', kind: 'UNAUTHORIZED' },
  '403': { description: 'Denied', kind: 'FORBIDDEN' },
  '404': { description: 'Not found, or it belongs to another user', kind: 'NOT_FOUND' },
  '409': { description: 'A limit has been reached, or it belongs to another user', kind: 'CONFLICT' },
  '413': { description: 'The body is too large', kind: 'TOO_LARGE' },
  '415': { description: 'The body is not JSON in UTF-8', kind: 'UNSUPPORTED_MEDIA' },
  '429': { description: 'Too many requests. Wait for the number of seconds in `Retry-After`', kind: 'RATE_LIMITED' },
  '503': {
    description: 'The request could not be stored. Retry after the number of seconds in `Retry-After`',
    kind: 'UNAVAILABLE',
  },
}
/** Their other meanings in the operator API. */
const operatorStatuses: typeof statuses = {
  '401': { description: 'Not signed in: the session or token is unknown or has ended', kind: 'UNAUTHORIZED' },
  '403': { description: 'The role does not allow it, or another site sent it; `reason` says which', kind: 'FORBIDDEN' },
  '404': { description: 'Not found, or of an application that the caller does not work for', kind: 'NOT_FOUND' },
  '409': { description: 'Someone else was first, or a limit has been reached; `reason` says which', kind: 'CONFLICT' },
}

const errorExample = (family: FamilyName | null, kind: ProblemKind, message: string) => ({
  error: {
    // A 409 has two reasons; the contact limit is the more likely.
    code: errorCodeOf(family, kind === 'CONFLICT' && family === 'CONTACTS' ? 'LIMIT' : kind),
    message: `${message}.`,
    requestId: '5f2b8c1e-7a44-4d0b-9c3e-1f6a2b7d8e90',
    ...(kind === 'VALIDATION' && { fields: [{ field: 'timestamp', message: 'is required' }] }),
  },
})
