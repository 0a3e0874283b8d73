import { z } from 'zod'
import { incidentSchema, instantSchema, positionSchema } from './incident.ts'
import { talkLineSchema } from './messages.ts'
import { optionalFields } from './payload.ts'

/** The alert as accepted. */
const creationTelemetrySchema = z
  .looseObject({
    ...optionalFields,
    silent: z.boolean().optional(),
    receivedAt: instantSchema,
    warnings: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .readonly()
      .optional(),
  })
  .meta({ id: 'CreationTelemetry' })

/** A history item: how the incident began, and its trail. */
export const historyItemSchema = incidentSchema
  .extend({
    creationTelemetry: creationTelemetrySchema,
    positionTrail: z.array(positionSchema).readonly(),
    messages: z.array(talkLineSchema).readonly().optional().meta({
      description:
        'What was said, oldest first, the newest 100. Without what was for the rescue desk alone; absent in a silent emergency, and where nothing was said',
    }),
  })
  .meta({ id: 'HistoryItem' })
