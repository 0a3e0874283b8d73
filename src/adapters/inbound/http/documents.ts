import type { FastifyInstance, RouteOptions } from 'fastify'

/** The interface descriptions, as text. */
export type Documents = {
  openApi(): Promise<string>
  openApiYaml(): Promise<string>
  asyncApi(): Promise<string>
}

/** Derived from the routes, which are the same for every site of a process. */
let made: Documents | null = null

/**
 * The documents of the routes registered after this call. Each is made on its first request, with code that is only
 * loaded then: together they take nearly as long as the rest of a start, and few sites ever ask.
 */
export function documentsOf(app: FastifyInstance): Documents {
  const routes: RouteOptions[] = []
  // The route, not its schema: the hooks of a family replace that later.
  app.addHook('onRoute', (route) => void routes.push(route))
  const document = onceDone(async () => (await import('./openapi.ts')).openApiOf(routes))
  made ??= {
    openApi: onceDone(async () => JSON.stringify(await document())),
    openApiYaml: onceDone(async () => {
      const { stringify } = await import('yaml')
      // Aliases would be shorter, but not every YAML reader supports them.
      return stringify(await document(), { aliasDuplicateObjects: false })
    }),
    asyncApi: onceDone(async () => JSON.stringify((await import('./asyncapi.ts')).asyncApi())),
  }
  return made
}

/** Does the work once, for all callers; again after a failure. */
export function onceDone<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= work().catch((error) => {
      result = null
      throw error
    })
    return result
  }
}
