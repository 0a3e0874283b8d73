import swagger from '@fastify/swagger'
import fastify, { type RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import packageJson from '../../../../package.json' with { type: 'json' }
import { describeOperations, type OpenApiDocument } from './describe-operations.ts'
import { withoutAjv } from './validation.ts'

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const

/**
 * The OpenAPI 3.1 document of these routes. A second Fastify collects them, which serves nothing, so that the first
 * starts without any of this.
 */
export async function openApiOf(routes: readonly RouteOptions[]): Promise<OpenApiDocument> {
  const app = fastify({ exposeHeadRoutes: false, schemaController: withoutAjv })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tocsin',
        version: packageJson.version,
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
    transformObject: jsonSchemaTransformObject,
  })
  for (const { method, url, schema } of routes) {
    if (method === 'HEAD' || schema === undefined || schema.hide === true) continue
    app.route({ method, url, schema, handler: async () => undefined })
  }
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.swagger(), tolerant))
  describeOperations(document)
  return document
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
