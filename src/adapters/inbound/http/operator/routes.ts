import type { FastifyInstance } from 'fastify'
import type { HttpParts } from '../parts.ts'
import type { OperatorParts } from './parts.ts'
import { sessionRoutes } from './routes/session.ts'

/** The operator API: everything that the console does (protocol.md#operator-api). */
export function addOperatorRoutes(
  app: FastifyInstance,
  parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts },
): void {
  for (const addFamily of [sessionRoutes(parts)]) addFamily(app)
}
