import { setImmediate as nextTurn } from 'node:timers/promises'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import fastify, { type RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { release } from '../../../../lib/release.ts'
import { withoutAjv } from '../bodies/validation.ts'
import { errorCodeOf, type FamilyName, type ProblemKind } from '../problem.ts'

/** The parts of an OpenAPI document that are used here. */
type Content = Record<string, { schema?: unknown; example?: unknown }>
type Operation = {
  operationId: string
  parameters?: { name: string; example?: unknown }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type OpenApiDocument = {
  components: { schemas: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const

/** Routes described in one turn of the event loop: about ten milliseconds' worth. */
const AT_ONCE = 4

/**
 * The OpenAPI 3.1 document of these routes. Made a few routes at a time: all of them at once would hold up an alarm for
 * a third of a second.
 */
export async function openApiOf(routes: readonly RouteOptions[]): Promise<OpenApiDocument> {
  const documented = new Map<string, RouteOptions>()
  for (const route of routes) {
    const { method, url, schema } = route
    if (method === 'HEAD' || schema === undefined || schema.hide === true) continue
    const { operationId, description } = schema
    if (operationId === undefined || description === undefined)
      throw new TypeError(`${method} ${url} has no description`)
    if (documented.has(operationId)) throw new TypeError(`${operationId} is the id of two routes`)
    documented.set(operationId, route)
  }
  const all = [...documented.values()]
  const document = await described([], { transformObject: jsonSchemaTransformObject })
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await nextTurn()
    const { paths } = await described(all.slice(from, from + AT_ONCE))
    for (const [path, operations] of Object.entries(paths)) {
      for (const operation of Object.values(operations)) {
        addExamples(operation, documented.get(operation.operationId)!)
      }
      document.paths[path] = { ...document.paths[path], ...operations }
    }
  }
  return document
}

/**
 * The document of these routes, without examples. A second Fastify collects them, which serves nothing, so that the
 * first starts without any of this. `transformObject` adds the named schemas, which are those of all routes.
 */
async function described(
  routes: readonly RouteOptions[],
  named: Pick<FastifyDynamicSwaggerOptions, 'transformObject'> = {},
): Promise<OpenApiDocument> {
  const app = fastify({ exposeHeadRoutes: false, schemaController: withoutAjv })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tocsin',
        version: release.version,
        description: 'Emergency SOS alerts over REST. Events, and the preferred way to send alerts, are on MQTT.',
      },
      components: {
        securitySchemes: {
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
        },
      },
    },
    transform: jsonSchemaTransform,
    ...named,
  })
  for (const { method, url, schema = {} } of routes) app.route({ method, url, schema, handler: async () => undefined })
  await app.ready()
  return JSON.parse(JSON.stringify(app.swagger(), tolerant))
}

/**
 * Clients have to tolerate unknown fields (protocol.md#versions), so no object is closed to further ones. Of the named
 * schemas, only the output variants are kept: no request uses them.
 */
function tolerant(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && value === false) return undefined
  if (key !== 'schemas' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.endsWith('Input')))
}

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
const DEFAULT_DESCRIPTION = 'Default Response'

/** Adds the descriptions of the statuses, and the examples. */
function addExamples(operation: Operation, { schema, config = {} }: RouteOptions): void {
  const { parameters, body, answers } = schema?.examples ?? {}
  const { family = null } = config
  for (const parameter of operation.parameters ?? []) parameter.example = parameters?.[parameter.name]
  setExample(operation.requestBody?.content, body)
  for (const [status, response] of Object.entries(operation.responses)) {
    const meant = (family === 'OPERATOR' ? operatorStatuses[status] : undefined) ?? statuses[status]
    const { description = DEFAULT_DESCRIPTION, kind } = meant ?? {}
    if (response.description === DEFAULT_DESCRIPTION) response.description = description
    setExample(response.content, answers?.[Number(status)] ?? (kind && errorExample(family, kind, description)))
  }
}

function setExample(content: Content | undefined, example: unknown): void {
  for (const media of Object.values(content ?? {})) media.example = example
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
