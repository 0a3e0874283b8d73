import { z } from 'zod'
import { MAX_ETA_MINUTES } from '../../../../core/incident/answer.ts'
import { deliveryStatuses } from '../../../../core/incident/delivery.ts'
import { incidentStatuses } from '../../../../core/incident/incident.ts'
import { positionSources } from '../../../../core/ingest/position.ts'

export const instantSchema = z.iso.datetime({ offset: true })
const deliveryStatus = z.enum(deliveryStatuses).meta({ id: 'DeliveryStatus' })
const channelStatus = z.object({ channel: z.string(), status: deliveryStatus }).meta({ id: 'ChannelStatus' })

const contactResponse = z
  .object({
    kind: z.enum(['coming', 'calling', 'unable']),
    etaMinutes: z.number().int().min(1).max(MAX_ETA_MINUTES).optional().meta({ description: 'Only with `coming`' }),
    at: instantSchema,
  })
  .meta({
    id: 'ContactResponse',
    description: 'The newest answer that says how the contact helps, or that they cannot',
  })

const contactEntry = z
  .object({
    contactId: z.uuid(),
    name: z.string(),
    priority: z.number().int(),
    status: deliveryStatus,
    acknowledgedAt: instantSchema.optional(),
    response: contactResponse.optional(),
    channels: z.array(channelStatus).readonly(),
  })
  .meta({ id: 'ContactAttempt' })

const deliveryEntry = z
  .object({
    contactId: z.string().optional().meta({ description: 'Only of `email`' }),
    attempt: z.number().int().min(1),
    status: deliveryStatus,
    provider: z.string(),
    error: z.string().optional().meta({ description: 'Only where `status` is `failed`' }),
    updatedAt: instantSchema,
  })
  .meta({ id: 'DeliveryAttempt' })

/** protocol.md#snapshot. The set of types is open: an item of an unknown type may carry further blocks. */
const actuatorItem = z
  .looseObject({
    id: z.string(),
    type: z
      .string()
      .meta({ description: '`emergency_contacts`, `chat`, `webhook`, `email`, `downlink`; more may be added' }),
    status: deliveryStatus,
    outcome: z.enum(['success', 'failure', 'pending', 'skipped']),
    updatedAt: instantSchema.optional().meta({ description: 'Omitted until the first attempt has run' }),
    contacts: z.array(contactEntry).readonly().optional(),
    deliveries: z.array(deliveryEntry).readonly().optional(),
    channels: z
      .array(channelStatus)
      .readonly()
      .optional()
      .meta({ description: 'Only of `downlink`: `received`, `coming`' }),
  })
  .meta({ id: 'Actuator' })

const snapshotSchema = z
  .object({ snapshotVersion: z.number().int().min(1), items: z.array(actuatorItem).readonly() })
  .meta({ id: 'Snapshot' })

export const positionSchema = z
  .object({
    latitude: z.number(),
    longitude: z.number(),
    altitude: z.number().nullable(),
    accuracy: z.number().optional().meta({ description: 'Metres, where the sender knows it' }),
    at: z.string().meta({ format: 'date-time', description: 'Event time as sent' }),
    source: z.enum(positionSources).optional().meta({
      description:
        'The own session, the own tracker, a listed relay, or another user; absent from an earlier version, which counts as own',
    }),
    bySms: z
      .literal(true)
      .optional()
      .meta({ description: 'In `places`: it stood in an SMS, whose sender may be forged' }),
  })
  .meta({ id: 'Position' })

const acknowledgedBySchema = z
  .object({
    kind: z.enum(['contact', 'operator']),
    contactId: z.uuid().nullable().meta({ description: 'Null for an operator' }),
    name: z.string().nullable().meta({ description: 'Null if unknown, and in a silent emergency' }),
    at: instantSchema,
  })
  .meta({ id: 'AcknowledgedBy', description: 'The newest answer that nobody has taken back' })

/** The REST `incident` object of protocol.md#incident. */
export const incidentSchema = z
  .object({
    appId: z.uuid(),
    userId: z.uuid(),
    incidentId: z.uuid(),
    status: z.enum(incidentStatuses),
    occurredAt: z.string().meta({ format: 'date-time', description: 'Event time as sent, nanoseconds kept' }),
    openedAt: instantSchema,
    updatedAt: instantSchema,
    acknowledgedAt: instantSchema.nullable(),
    cancelledAt: instantSchema.nullable(),
    resolvedAt: instantSchema.nullable(),
    acknowledgedBy: acknowledgedBySchema.nullable(),
    silent: z.literal(true).optional().meta({
      description: 'A silent emergency: nothing may ring or light up at the person, and nobody may call them',
    }),
    reason: z.literal('overdue').optional().meta({ description: 'A timer ran out; absent after a press' }),
    overdue: z.object({ dueAt: instantSchema, note: z.string().nullable() }).optional(),
    snapshotVersion: z.number().int().min(1),
    actuators: snapshotSchema,
    lastPosition: positionSchema.nullable(),
    relayedPosition: positionSchema.optional().meta({
      description: 'A newer position that another user sent for the tracker, while an own one counts',
    }),
    relay: z.object({ userId: z.uuid() }).nullable(),
  })
  .meta({ id: 'Incident' })

/** Whether a page of incidents has their trails: these are too much for a slow network. */
export const trailField = z
  .enum(['on', 'off'])
  .optional()
  .meta({ description: '`off`: every `positionTrail` is empty, for networks that would take minutes for it' })
