import { setTimeout as after } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { isOperator } from '../operator-access.ts'
import type { HttpParts } from '../parts.ts'
import { answer } from '../problem.ts'
import { errors } from '../schemas/error.ts'

/**
 * A hung disk must not hang the health check. Longer than the checks' own time-outs, so that they can name the cause.
 */
const READINESS_MS = 5_000

const healthSchema = z.object({ status: z.literal('ok') })
const readySchema = z.object({ status: z.enum(['ready', 'not ready']), reasons: z.array(z.string()).readonly() })

/** `/healthz`, `/readyz`, `/metrics`. protocol.md#health. */
export function addUpkeepRoutes(
  app: FastifyInstance,
  { readiness, concerns, readinessMs = READINESS_MS, metricsText, metricsToken = null }: HttpParts,
): void {
  const scope = app.withTypeProvider<ZodTypeProvider>()
  const tags = ['Operation']
  const config = { upkeep: true }

  scope.get(
    '/healthz',
    {
      config,
      schema: {
        tags,
        summary: 'Checks that the process is alive',
        response: { 200: healthSchema, ...errors(429) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  scope.get(
    '/readyz',
    {
      config,
      schema: {
        tags,
        summary: 'Checks that the service can do its work',
        response: { 200: readySchema, ...errors(429), 503: readySchema },
      },
    },
    async (_request, reply) => {
      const reasons = await reasonsWithin(readiness, readinessMs)
      reply.header('cache-control', 'no-store')
      const all = [...reasons, ...(concerns?.() ?? [])]
      // A concern that does not stop alarms must not make a load balancer hold alarms back: report it, but without a
      // 503.
      if (reasons.length === 0) return { status: 'ready' as const, reasons: all }
      return reply.code(503).send({ status: 'not ready', reasons: all })
    },
  )

  scope.get('/metrics', { config, schema: { hide: true } }, async (request, reply) => {
    if (!isOperator(request, metricsToken)) {
      const headers = { 'www-authenticate': 'Bearer' }
      return answer(reply, null, {
        kind: 'UNAUTHORIZED',
        message: 'Only the operator may read the metrics.',
        headers,
      })
    }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metricsText())
  })
}

async function reasonsWithin(readiness: HttpParts['readiness'], timeoutMs: number): Promise<readonly string[]> {
  const checked = new AbortController()
  try {
    return await Promise.race([
      readiness(),
      after(timeoutMs, ['the readiness check timed out'], { signal: checked.signal }),
    ])
  } catch {
    return ['the readiness check failed']
  } finally {
    checked.abort()
  }
}
