import { z } from 'zod'
import { payloadFields } from '../../../../core/ingest/payload.ts'
import { positionSources } from '../../../../core/ingest/position.ts'

type PayloadFields = typeof payloadFields
type OptionalFields = { [K in keyof PayloadFields]: z.ZodOptional<z.ZodNullable<PayloadFields[K]['schema']>> }

export const optionalFields = Object.fromEntries(
  Object.entries(payloadFields).map(([name, { schema }]) => [name, schema.nullish()]),
) as OptionalFields

/** protocol.md#payload. Documents the body; the use cases read it field by field. */
const payloadSchema = z.looseObject(optionalFields)
const described = {
  description: '`timestamp` or `occurredAt` is required. Unknown keys are ignored, null means absent.',
  anyOf: ['timestamp', 'occurredAt'].map((time) => ({
    type: 'object',
    properties: { [time]: { type: 'string' } },
    required: [time],
  })),
}

export const ingestSchema = payloadSchema.meta({ id: 'Telemetry', ...described })

/** The body of an alert. Not strict about `silent`: a wrong type is dropped with a warning and refuses nothing. */
export const alertSchema = payloadSchema
  .extend({
    silent: z.boolean().nullish().meta({
      description:
        'A silent emergency: the service sends nothing to the person that rings, lights or shows. Never cleared',
    }),
  })
  .meta({ id: 'Alert', ...described })

/** An accepted telemetry row. */
export const telemetryItemSchema = z
  .looseObject({
    ...optionalFields,
    receivedAt: z.iso.datetime({ offset: true }),
    source: z.enum(positionSources).optional(),
  })
  .meta({ id: 'TelemetryItem' })
