import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { CorsOrigins } from '../../../app/cors-origins.ts'
import { answerPreflight } from './cors.ts'
import { answer } from './problem.ts'

/**
 * Notes which paths there are. Call what it returns once all routes are there: it answers every method that a path does
 * not have with a 405 that names the allowed ones, before a session or a body is looked at. OPTIONS, which no path has,
 * is what browsers ask with whether an app of another origin may call it.
 */
export function methodsNotAllowed(app: FastifyInstance, origins: CorsOrigins): () => void {
  const routes = new Map<string, RouteOptions[]>()
  app.addHook('onRoute', (route) => void routes.set(route.url, [...(routes.get(route.url) ?? []), route]))
  return () => {
    for (const [url, there] of [...routes]) {
      // Asked for, not noted: Fastify does not tell of the twin of a route that it makes with a slash at its end.
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
          // Whoever may always raise an alarm may always ask whether they may.
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
