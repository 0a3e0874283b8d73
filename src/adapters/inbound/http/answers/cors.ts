import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CorsOrigins } from '../../../../app/connections/cors-origins.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The origins from which browsers may call it: those of the application named in the request or, for routes without
     * a session, those of any application.
     */
    cors?: 'application' | 'any'
  }
}

/** Methods and headers that a browser may send and read beyond its defaults. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, X-App-ID, X-User-ID, X-User-Token',
  // The longest that browsers cache it: the next SOS goes out without a preflight. Every response is checked again
  // anyway.
  'access-control-max-age': '7200',
}
const EXPOSED = { 'access-control-expose-headers': 'Date, Retry-After, X-Request-Id' }

/** Caches must keep the responses for different origins apart. */
const VARY = { vary: 'Origin' }

/**
 * Lets browser apps call the routes that allow it (`config.cors`), from the origins of their application
 * (access.md#cors). Refusals carry the header too, so that the app can read the reason. On all other routes, browsers
 * keep blocking other origins.
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
 * Answers a browser's preflight request; null if it is not one, or is not allowed. A preflight does not name the
 * application, so any application's origin is accepted; the actual response is only for the right application's own.
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
