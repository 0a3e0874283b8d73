import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import type { CorsOrigins } from '../../../../app/connections/cors-origins.ts'
import { answer, NOTHING_HERE } from '../problem.ts'
import { answerPreflight } from './cors.ts'

/**
 * Answers requests that no route takes, before a session or a body is examined: with a 405 that lists the allowed
 * methods if the path has others, else with a 404. OPTIONS, which no path has itself, is the preflight of a browser app
 * from another origin. Call this before any route is registered, and the returned function once all are.
 *
 * A route for every method that a path does not have would cost as much as the rest of the application.
 */
export function answerUnmatched(app: FastifyInstance, origins: CorsOrigins): () => void {
  const routes = new Map<string, RouteOptions[]>()
  /** The `Allow` header by pattern. */
  const allowed = new Map<string, string>()
  app.decorateRequest('refusedAt', null)
  app.addHook('onRoute', (route) => void routes.set(route.url, [...(routes.get(route.url) ?? []), route]))
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    const pattern = app.supportedMethods.includes(request.method) ? patternOf(request.url, allowed) : undefined
    if (pattern === undefined) return answer(reply, null, NOTHING_HERE)
    request.refusedAt = pattern
    return refuse(reply, allowed.get(pattern)!)
  })

  return () => {
    const shared = { exposeHeadRoute: false, schema: { hide: true }, handler: async () => undefined }
    for (const [url, there] of [...routes]) {
      const allow = there
        .flatMap(({ method }) => method)
        .sort()
        .join(', ')
      allowed.set(url, allow)
      if (!there.some(({ config }) => config?.cors !== undefined)) continue
      app.route({
        ...shared,
        url,
        method: 'OPTIONS',
        // A client that may always raise an alarm may always send the preflight for it.
        config: { unlimited: there.some(({ config }) => config?.unlimited === true) },
        onRequest: async (request, reply) => (await answerPreflight(request, reply, origins)) ?? refuse(reply, allow),
      })
    }
    // `DELETE /v1/sdk/contacts/reorder` is not about a contact with that id.
    for (const [url, allow] of allowed) {
      const mistaken = app.supportedMethods.filter(
        (method) => app.findRoute({ method, url }) !== null && !app.hasRoute({ method, url }),
      )
      if (mistaken.length > 0)
        app.route({ ...shared, url, method: mistaken, onRequest: async (_, reply) => refuse(reply, allow) })
    }
  }
}

const refuse = (reply: FastifyReply, allow: string): FastifyReply =>
  answer(reply, null, { kind: 'METHOD_NOT_ALLOWED', message: 'Method not allowed for this path.', headers: { allow } })

/** The pattern that the path of `url` has in the router. There, too, one without parameters goes first. */
function patternOf(url: string, patterns: ReadonlyMap<string, unknown>): string | undefined {
  const path = decodeURI(url.split(/[?#]/, 1)[0]!)
  if (patterns.has(path)) return path
  const given = path.split('/')
  return [...patterns.keys()].find((pattern) => {
    const parts = pattern.split('/')
    const fits = parts.at(-1) === '*' ? given.length >= parts.length : given.length === parts.length
    return fits && parts.every((part, at) => part.startsWith(':') || part === '*' || part === given[at])
  })
}
