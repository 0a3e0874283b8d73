import { z } from 'zod'
import { isExternalUserId } from '../../../../../core/account/mqtt-username.ts'
import { hardwareIdField } from '../../../../../core/account/pairing-schema.ts'
import { trackerSchema } from './estate.ts'

const moment = z.iso.datetime()

export const trackerQuery = z.object({ app: z.string().max(100), hardwareId: hardwareIdField })

export const trackerDetailSchema = trackerSchema
  .extend({
    disabled: z
      .boolean()
      .meta({ description: 'Its user or its application is disabled: nothing it sends is accepted' }),
    applicationSilentAfterMinutes: z
      .int()
      .meta({ description: 'What `silentAfterMinutes` null stands for; 0: nobody is warned' }),
    tokenMadeAt: moment.nullable().meta({ description: 'null: it has no token' }),
    heardAt: moment.nullable().meta({
      description: 'Known of trackers with a token, of LoRaWAN ones and of those that are watched; else null',
    }),
    battery: z.number().nullable().meta({ description: 'In percent, when a tracker with a token last said so' }),
    sosSince: moment.nullable().meta({ description: 'Since when its SOS flag is set' }),
    address: z.string().meta({ description: 'What apps report to: `/osmand` or `/owntracks` below it' }),
  })
  .meta({ id: 'OperatorTrackerDetail', description: 'A registered tracker with what is known about it' })

export const tokenGiven = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  externalUserId: z
    .string()
    .refine(isExternalUserId, 'must be the external id of a user')
    .optional()
    .meta({ description: 'Pair it with this user first' }),
})
export const tokenEnded = z.strictObject({ applicationId: z.string(), hardwareId: hardwareIdField })

export const tokenMadeSchema = trackerDetailSchema
  .extend({
    token: z.string().meta({ description: 'Shown once. Anyone who has it can report as this user' }),
    traccar: z.string().meta({ description: 'The set-up link of Traccar Client; it contains the token' }),
    ownTracks: z.string().meta({ description: 'The set-up link of OwnTracks; it contains the token' }),
    ownTracksMqtt: z
      .string()
      .nullable()
      .meta({ description: 'The same over MQTT; null where the address of the listener is unknown' }),
  })
  .meta({ id: 'OperatorTrackerToken', description: 'A tracker with its new token' })
