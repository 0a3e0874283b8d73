import type { FastifyInstance } from 'fastify'
import { answer } from './problem.ts'

/**
 * Notes which paths there are. Call what it returns once all routes are there: it answers every method that a path does not have with
 * a 405 that names the allowed ones, before a session or a body is looked at.
 */
export function methodsNotAllowed(app: FastifyInstance): () => void {
  const urls = new Set<string>()
  app.addHook('onRoute', ({ url }) => void urls.add(url))
  return () => {
    for (const url of [...urls]) {
      // Asked for, not noted: Fastify does not tell of the twin of a route that it makes with a slash at its end.
      const allowed = app.supportedMethods.filter((method) => app.hasRoute({ method, url }))
      const others = app.supportedMethods.filter((method) => !allowed.includes(method))
      if (others.length === 0) continue
      const headers = { allow: [...allowed].sort().join(', ') }
      const problem = { kind: 'METHOD_NOT_ALLOWED', message: 'This path does not know that method.', headers } as const
      app.route({
        method: others,
        url,
        exposeHeadRoute: false,
        schema: { hide: true },
        onRequest: async (_request, reply) => answer(reply, null, problem),
        handler: async () => undefined,
      })
    }
  }
}
