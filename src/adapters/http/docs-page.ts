import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { tolerant } from './openapi.ts'

/**
 * The page needs nothing from any other host, and is not allowed to ask one; a plain listener stays plain. Its styles are partly
 * written into elements by its script.
 */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** The REST side as a page to browse and try at `/docs`, and as `/docs/json` and `/docs/yaml`. */
export async function serveDocsPage(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: POLICY,
    theme: { title: 'Tocsin: REST interface' },
    // Without the bar at the top, which is for exploring documents of other hosts.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', defaultModelsExpandDepth: 0 },
    transformSpecification: (document) => JSON.parse(JSON.stringify(document, tolerant)),
    transformSpecificationClone: false,
  })
}
