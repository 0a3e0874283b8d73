import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { CorsOrigins } from '../../../app/cors-origins.ts'
import { answerPreflight } from './cors.ts'
import { answer } from './problem.ts'

/**
 * Records all paths. Call the returned function once all routes are registered. It answers any other method with a 405
 * that lists the allowed ones, before a session or a body is examined. OPTIONS, which no path has itself, is the
 * preflight of a browser app from another origin.
 */
export function methodsNotAllowed(app: FastifyInstance, origins: CorsOrigins): () => void {
  const routes = new Map<string, RouteOptions[]>()
  app.addHook('onRoute', (route) => void routes.set(route.url, [...(routes.get(route.url) ?? []), route]))
  return () => {
    for (const [url, there] of [...routes]) {
      // Queried rather than recorded: Fastify does not report the trailing-slash variant that it adds to a route.
      const allowed = app.supportedMethods.filter((method) => app.hasRoute({ method, url }))
      const headers = { allow: [...allowed].sort().join(', ') }
      const refuse = async (_request: FastifyRequest, reply: FastifyReply) =>
        answer(reply, null, { kind: 'METHOD_NOT_ALLOWED', message: 'Method not allowed for this path.', headers })
      const shared = { url, exposeHeadRoute: false, schema: { hide: true }, handler: async () => undefined }

      const forBrowsers = there.some(({ config }) => config?.cors !== undefined) && !allowed.includes('OPTIONS')
      if (forBrowsers) {
        app.route({
          ...shared,
          method: 'OPTIONS',
          // A client that may always raise an alarm may always send the preflight for it.
          config: { unlimited: there.some(({ config }) => config?.unlimited === true) },
          onRequest: async (request, reply) =>
            (await answerPreflight(request, reply, origins)) ?? refuse(request, reply),
        })
      }
      const others = app.supportedMethods.filter(
        (method) => !allowed.includes(method) && !(forBrowsers && method === 'OPTIONS'),
      )
      if (others.length > 0) app.route({ ...shared, method: others, onRequest: refuse })
    }
  }
}
