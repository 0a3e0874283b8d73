import { setTimeout as after } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { release } from '../../../../lib/release.ts'
import { isOperator } from '../admission/operator-access.ts'
import { answer } from '../problem.ts'
import { errors } from '../schemas/error.ts'
import { exampleRelease, releaseShape } from '../schemas/release.ts'

/**
 * A hung disk must not hang the health check. Longer than the checks' own time-outs, so that they can name the cause.
 */
const READINESS_MS = 5_000

const healthSchema = z.object({ status: z.literal('ok') })
const readySchema = z.object({
  status: z.enum(['ready', 'not ready']),
  reasons: z.array(z.string()).readonly(),
  ...releaseShape,
})

export type UpkeepNeeds = {
  /** Why the service is not ready; empty when it is. */
  readonly readiness: () => Promise<readonly string[]>
  /** Concerns for the operator while alarms still work: `/readyz` lists them but stays 200. */
  readonly concerns?: () => readonly string[]
  /** The newest schema that this version knows of the store in use. */
  readonly schema: number
  /** Milliseconds after which a readiness check without an answer counts as failed. */
  readonly readinessMs?: number
  /** The contents of `/metrics`, in the Prometheus text format. */
  readonly metricsText: () => Promise<string>
  /** `metrics.token`, which gives other machines access to `/metrics`. */
  readonly metricsToken?: string | null
}

/** `/healthz`, `/readyz`, `/metrics`. protocol.md#health. */
export function addUpkeepRoutes(
  app: FastifyInstance,
  { readiness, concerns, schema, readinessMs = READINESS_MS, metricsText, metricsToken = null }: UpkeepNeeds,
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
        operationId: 'getHealth',
        summary: 'Checks that the process is alive',
        description:
          'Answers as long as the process runs. To find out whether the service can do its work, use `/readyz`.',
        response: { 200: healthSchema, ...errors(429) },
        examples: { answers: { 200: { status: 'ok' } } },
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
        operationId: 'getReadiness',
        summary: 'Checks that the service can do its work',
        description:
          'Checks that alerts can be stored, that the broker answers and that messages go out on time. A 503 says what is wrong.',
        response: { 200: readySchema, ...errors(429), 503: readySchema },
        examples: {
          answers: {
            200: { status: 'ready', reasons: [], ...exampleRelease },
            503: {
              status: 'not ready',
              reasons: ['the store cannot be written: the disk is full'],
              ...exampleRelease,
            },
          },
        },
      },
    },
    async (_request, reply) => {
      const reasons = await reasonsWithin(readiness, readinessMs)
      reply.header('cache-control', 'no-store')
      const all = [...reasons, ...(concerns?.() ?? [])]
      // A concern that does not stop alarms must not make a load balancer hold alarms back: report it, but without a
      // 503.
      const about = { ...release, schema }
      if (reasons.length === 0) return { status: 'ready' as const, reasons: all, ...about }
      return reply.code(503).send({ status: 'not ready', reasons: all, ...about })
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

async function reasonsWithin(readiness: UpkeepNeeds['readiness'], timeoutMs: number): Promise<readonly string[]> {
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
