import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CorsOrigins } from '../../../app/cors-origins.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whose origins browsers may call it from: the application's that the request names, or any one's
     * where none is needed.
     */
    cors?: 'application' | 'any'
  }
}

/** What a browser may send and read besides what it always may. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, X-App-ID, X-User-ID, X-User-Token',
  // As long as browsers keep it: the next SOS goes out without asking first. Each answer is checked anew anyway.
  'access-control-max-age': '7200',
}
const EXPOSED = { 'access-control-expose-headers': 'Retry-After, X-Request-Id' }

/** What the origin is told besides; caches keep answers apart by it. */
const VARY = { vary: 'Origin' }

/**
 * Lets browser apps call the routes that say so (`config.cors`), from the origins of their application
 * (rules.md#cors). A refusal carries the header too, so that the app can read why. Everywhere else browsers keep other
 * origins' pages out as ever.
 */
export function allowOrigins(app: FastifyInstance, origins: CorsOrigins): void {
  app.addHook('onRequest', async (request, reply) => {
    const { cors } = request.routeOptions.config
    if (cors === undefined) return
    reply.headers(VARY)
    const { origin } = request.headers
    if (origin === undefined) return
    const appId = request.headers['x-app-id']
    const allowed =
      cors === 'any'
        ? await origins.isKnown(origin)
        : typeof appId === 'string' && (await origins.isOf(appId.toLowerCase(), origin))
    if (allowed) reply.headers({ 'access-control-allow-origin': origin, ...EXPOSED })
  })
}

/**
 * Answers a browser that asks whether it may (a preflight), or null where it does not ask that, or may not. It does not
 * say which application it will be: any one's origin will do, the answer to the request itself is for that
 * application's own only.
 */
export async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: CorsOrigins,
): Promise<FastifyReply | null> {
  const { origin, 'access-control-request-method': method } = request.headers
  reply.headers(VARY)
  if (origin === undefined || method === undefined || !(await origins.isKnown(origin))) return null
  return reply
    .code(204)
    .headers({ 'access-control-allow-origin': origin, ...PREFLIGHT })
    .send()
}
