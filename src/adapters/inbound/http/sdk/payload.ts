import { z } from 'zod'
import { payloadFields } from '../../../../core/ingest/payload.ts'
import { positionSources } from '../../../../core/ingest/position.ts'

type PayloadFields = typeof payloadFields
type OptionalFields = { [K in keyof PayloadFields]: z.ZodOptional<z.ZodNullable<PayloadFields[K]['schema']>> }

const optionalFields = Object.fromEntries(
  Object.entries(payloadFields).map(([name, { schema }]) => [name, schema.nullish()]),
) as OptionalFields

/** protocol.md#payload. Documents the body; the use cases read it field by field. */
export const ingestSchema = z
  .looseObject(optionalFields)
  .meta({ description: '`timestamp` or `occurredAt` is required. Unknown keys are ignored, null means absent.' })

/** The body of an alert. Not strict about `silent`: a wrong type is dropped with a warning and refuses nothing. */
export const alertSchema = ingestSchema.extend({
  silent: z.boolean().nullish().meta({
    description:
      'A silent emergency: the service sends nothing to the person that rings, lights or shows. Never cleared',
  }),
})

/** An accepted telemetry row. */
export const telemetryItemSchema = z
  .looseObject({
    ...optionalFields,
    receivedAt: z.iso.datetime({ offset: true }),
    source: z.enum(positionSources).optional(),
  })
  .meta({ id: 'TelemetryItem' })
