import { z } from 'zod'
import { isExternalUserId } from '../../../../../core/account/mqtt-username.ts'
import { channels, deliveryStatuses } from '../../../../../core/incident/delivery.ts'
import { incidentStatuses } from '../../../../../core/incident/incident.ts'
import { limitField } from '../../schemas/page.ts'

const instant = z.iso.datetime()
const seconds = z.int().min(0).nullable()
const who = { userId: z.uuid(), externalUserId: z.string() }

/** The users of a start or an end. Without `user`: every enabled user of the application, at most 100. */
const given = {
  app: z.uuid().meta({ description: 'The application' }),
  user: z
    .string()
    .refine(isExternalUserId, 'must be the external id of a user')
    .optional()
    .meta({ description: 'The external id of one user; otherwise all' }),
}

export const drillStartSchema = z.strictObject({
  ...given,
  contacts: z.boolean().default(false).meta({
    description: 'SMS and calls go to the contacts; otherwise they stay in the outbox',
  }),
})
export const drillEndSchema = z.strictObject(given)

const one = z.object({ ...who, incidentId: z.uuid() })
export const drillsStartedSchema = z.object({
  started: z.array(one).readonly(),
  passedOver: z
    .array(z.object({ ...who, reason: z.enum(['incident_open', 'drill_open', 'too_many_drills', 'drilled_lately']) }))
    .readonly(),
})
export const drillsEndedSchema = z.object({ ended: z.array(one).readonly() })

const way = z.object({
  channel: z.enum(channels),
  status: z.enum(deliveryStatuses),
  error: z.string().nullable(),
  provider: z.string().nullable(),
  afterSeconds: seconds,
})

export const drillReportSchema = z
  .object({
    incidentId: z.uuid(),
    applicationId: z.uuid(),
    ...who,
    toContacts: z.boolean(),
    overtaken: z.boolean().meta({ description: 'A press of the user, or a restore, ended it' }),
    status: z.enum(incidentStatuses),
    startedAt: instant,
    endedAt: instant.nullable(),
    firstAnswerSeconds: seconds,
    contacts: z
      .array(
        z.object({
          contactId: z.uuid(),
          name: z.string(),
          answer: z.enum(['helping', 'coming', 'calling', 'unable']).nullable(),
          afterSeconds: seconds,
          channels: z.array(way).readonly(),
        }),
      )
      .readonly(),
    integrations: z.array(way).readonly(),
    failed: z.int().min(0).meta({ description: 'Ways that failed' }),
  })
  .meta({ id: 'DrillReport', description: 'Who answered an exercise after how long, and what failed' })

export const drillListSchema = z.object({ items: z.array(drillReportSchema).readonly() })

export const drillQuery = z.object({
  app: z.uuid().meta({ description: 'The application' }),
  user: given.user.meta({ description: 'The external id of one user; otherwise of all' }),
  since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({
      type: 'string',
      format: 'date-time',
      description: 'Started then or later; by default in the last 90 days',
    }),
  limit: limitField(100),
})
