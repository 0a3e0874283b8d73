import { z } from 'zod'
import { payloadFields } from '../../../../core/ingest/payload.ts'
import { positionSources } from '../../../../core/ingest/position.ts'

type PayloadFields = typeof payloadFields
type OptionalFields = { [K in keyof PayloadFields]: z.ZodOptional<z.ZodNullable<PayloadFields[K]['schema']>> }

export const optionalFields = Object.fromEntries(
  Object.entries(payloadFields).map(([name, { schema }]) => [name, schema.nullish()]),
) as OptionalFields

/** The time of an event under one of its two names. As a union, so that types made of it ask for one. */
const timeSchema = z
  .union([z.looseObject({ timestamp: z.string() }), z.looseObject({ occurredAt: z.string() })])
  .meta({ id: 'EventTime', description: '`timestamp` or `occurredAt`; the first counts' })

const described = { description: 'Unknown keys are ignored, null means absent.' }
const fieldsSchema = z.looseObject(optionalFields).meta({ id: 'TelemetryFields', ...described })
const alertFieldsSchema = z
  .looseObject({
    ...optionalFields,
    silent: z.boolean().nullish().meta({
      description:
        'A silent emergency: the service sends nothing to the person that rings, lights or shows. Never cleared',
    }),
  })
  .meta({ id: 'AlertFields', ...described })

/** protocol.md#payload. Documents the body; the use cases read it field by field. */
export const ingestSchema = z.intersection(fieldsSchema, timeSchema).meta({ id: 'Telemetry' })

/** The body of an alert. Not strict about `silent`: a wrong type is dropped with a warning and refuses nothing. */
export const alertSchema = z.intersection(alertFieldsSchema, timeSchema).meta({ id: 'Alert' })

/** An accepted telemetry row. */
export const telemetryItemSchema = z
  .looseObject({
    ...optionalFields,
    receivedAt: z.iso.datetime({ offset: true }),
    source: z.enum(positionSources).optional(),
  })
  .meta({ id: 'TelemetryItem' })
