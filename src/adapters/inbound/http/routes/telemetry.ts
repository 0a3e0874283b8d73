import { z } from 'zod'
import { sessionOf } from '../admission/session.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { bodyErrors } from '../schemas/error.ts'
import { ingestSchema } from '../schemas/incident.ts'
import { jsonObject } from '../validation.ts'

const acceptedSchema = z.object({
  accepted: z.literal(true),
  incidentId: z.uuid().nullable().meta({ description: 'The open incident that it was added to' }),
})

/** Telemetry over HTTP, the fallback for the MQTT publish (protocol.md#rest). */
export const telemetryRoutes = (parts: HttpParts) =>
  family('TELEMETRY', parts, {
    json(scope, refuse) {
      scope.post(
        '/v1/sdk/telemetry',
        {
          validatorCompiler: jsonObject,
          schema: {
            summary: 'Stores one telemetry payload',
            body: ingestSchema,
            response: { 202: acceptedSchema, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const stored = await parts.ingestTelemetry(sessionOf(request), request.body)
          if ('refused' in stored) return refuse(reply, stored.refused)
          return reply.code(202).send({ accepted: true, incidentId: stored.incidentId })
        },
      )
    },
  })
