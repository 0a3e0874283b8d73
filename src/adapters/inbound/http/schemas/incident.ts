import { z } from 'zod'
import { MAX_ETA_MINUTES } from '../../../../core/incident/answer.ts'
import { deliveryStatuses } from '../../../../core/incident/delivery.ts'
import { incidentStatuses } from '../../../../core/incident/incident.ts'
import { payloadFields } from '../../../../core/ingest/payload.ts'
import { positionSources } from '../../../../core/ingest/position.ts'

const instant = z.iso.datetime({ offset: true })
const deliveryStatus = z.enum(deliveryStatuses)

const contactEntry = z.object({
  contactId: z.uuid(),
  name: z.string(),
  priority: z.number().int(),
  status: deliveryStatus,
  acknowledgedAt: instant.optional(),
  response: z
    .object({
      kind: z.enum(['coming', 'calling', 'unable']),
      etaMinutes: z.number().int().min(1).max(MAX_ETA_MINUTES).optional().meta({ description: 'Only with `coming`' }),
      at: instant,
    })
    .optional()
    .meta({ description: 'The newest answer that says how the contact helps, or that they cannot' }),
  channels: z.array(z.object({ channel: z.string(), status: deliveryStatus })).readonly(),
})

const deliveryEntry = z.object({
  attempt: z.number().int().min(1),
  status: deliveryStatus,
  provider: z.string(),
  error: z.string().optional().meta({ description: 'Only where `status` is `failed`' }),
  updatedAt: instant,
})

/** protocol.md#snapshot. The set of types is open: an item of an unknown type may carry further blocks. */
const actuatorItem = z.looseObject({
  id: z.string(),
  type: z.string().meta({ description: '`emergency_contacts`, `chat`, `webhook`, `downlink`; more may be added' }),
  status: deliveryStatus,
  outcome: z.enum(['success', 'failure', 'pending', 'skipped']),
  updatedAt: instant.optional().meta({ description: 'Omitted until the first attempt has run' }),
  contacts: z.array(contactEntry).readonly().optional(),
  deliveries: z.array(deliveryEntry).readonly().optional(),
  channels: z
    .array(z.object({ channel: z.string(), status: deliveryStatus }))
    .readonly()
    .optional()
    .meta({ description: 'Only of `downlink`: `received`, `coming`' }),
})

const position = z.object({
  latitude: z.number(),
  longitude: z.number(),
  altitude: z.number().nullable(),
  accuracy: z.number().optional().meta({ description: 'Metres, where the sender knows it' }),
  at: z.string().meta({ format: 'date-time', description: 'Event time as sent' }),
  source: z.enum(positionSources).optional().meta({
    description:
      'The own session, the own tracker, a listed relay, or another user; absent from an earlier version, which counts as own',
  }),
})

/** The REST `incident` object of protocol.md#incident. */
export const incidentSchema = z
  .object({
    appId: z.uuid(),
    userId: z.uuid(),
    incidentId: z.uuid(),
    status: z.enum(incidentStatuses),
    occurredAt: z.string().meta({ format: 'date-time', description: 'Event time as sent, nanoseconds kept' }),
    openedAt: instant,
    updatedAt: instant,
    acknowledgedAt: instant.nullable(),
    cancelledAt: instant.nullable(),
    resolvedAt: instant.nullable(),
    silent: z.literal(true).optional().meta({
      description: 'A silent emergency: nothing may ring or light up at the person, and nobody may call them',
    }),
    reason: z.literal('overdue').optional().meta({ description: 'A timer ran out; absent after a press' }),
    overdue: z.object({ dueAt: instant, note: z.string().nullable() }).optional(),
    snapshotVersion: z.number().int().min(1),
    actuators: z.object({ snapshotVersion: z.number().int().min(1), items: z.array(actuatorItem).readonly() }),
    lastPosition: position.nullable(),
    relayedPosition: position.optional().meta({
      description: 'A newer position that another user sent for the tracker, while an own one counts',
    }),
    relay: z.object({ userId: z.uuid() }).nullable(),
  })
  .meta({ id: 'Incident' })

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
  .looseObject({ ...optionalFields, receivedAt: instant, source: z.enum(positionSources).optional() })
  .meta({ id: 'TelemetryItem' })

/** A history item: how the incident began, and its trail. */
export const historyItemSchema = incidentSchema
  .extend({
    creationTelemetry: z.looseObject({
      receivedAt: instant,
      warnings: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .readonly()
        .optional(),
    }),
    positionTrail: z.array(position).readonly(),
  })
  .meta({ id: 'HistoryItem' })

export const openIncidentSchema = z
  .object({ incident: incidentSchema.nullable() })
  .meta({ description: 'The open incident, or null when there is none' })

const putOffSchema = z.object({ until: instant })

export const updatedSchema = z
  .object({
    incident: incidentSchema.nullable(),
    putOff: putOffSchema.optional().meta({
      description: 'No hand makes these presses, and an operator has ended the alarm: until then they alarm nobody',
    }),
  })
  .meta({ description: 'The open incident; null for a repeat of a closed one, and while presses are put off' })

/** The body of an end, under any content type. */
export const endSchema = z
  .looseObject({
    incidentId: z.uuid().nullish().meta({ description: 'Ends this incident of the user, or none' }),
    alert: z
      .looseObject({
        deviceId: payloadFields.deviceId.schema.nullish(),
        timestamp: payloadFields.timestamp.schema.nullish(),
        occurredAt: payloadFields.occurredAt.schema.nullish(),
      })
      .nullish()
      .meta({
        description:
          'The press, as it was sent: ends the incident that it opened or joined, unless one of the user’s own sources has pressed since',
      }),
  })
  .nullish()
  .meta({
    description:
      'Which alarm it ends. With both, `incidentId` counts. Anything else, or nothing, is an end without a name, which is carried out within 5 s or not at all',
  })
export const endedSchema = z
  .object({
    incident: incidentSchema.nullable(),
    ended: z
      .boolean()
      .optional()
      .meta({ description: 'Of an end that names its alarm: whether that is over now, whoever ended it' }),
  })
  .meta({ description: 'What is open now, or null when nothing is' })
