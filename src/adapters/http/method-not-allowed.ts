import type { FastifyInstance } from 'fastify'
import { answer } from './problem.ts'

/**
 * Notes which methods every path has. Call what it returns once all routes are there: it answers every other method on them with a
 * 405 that names the allowed ones, before a session or a body is looked at.
 */
export function methodsNotAllowed(app: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    methodsOf.set(url, known)
  })
  return () => {
    for (const [url, allowed] of [...methodsOf]) {
      const others = app.supportedMethods.filter((method) => !allowed.has(method))
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
