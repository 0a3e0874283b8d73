import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform } from 'fastify-type-provider-zod'
import packageJson from '../../../package.json' with { type: 'json' }

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const

/** Collects the schemas of every route registered after it, and serves them as one OpenAPI 3.1 document at `/openapi.json`. */
export async function describeRoutes(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tocsin',
        version: packageJson.version,
        description: 'Emergency SOS alerts over REST. Events and the primary ingest are on MQTT.',
      },
      components: {
        securitySchemes: {
          appId: header('X-App-ID', 'Identifier of the integrating application'),
          userId: header('X-User-ID', 'The external user id, in UTF-8'),
          userHash: { type: 'http', scheme: 'bearer', description: 'Hex HMAC-SHA256 of the external user id' },
        },
      },
    },
    transform: createJsonSchemaTransform({}),
  })
  let text: string | null = null
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(text)
  })
}
