import { z } from 'zod'
import { contactCreateSchema } from '../../../../../core/account/contact-schema.ts'
import { isExternalUserId } from '../../../../../core/account/mqtt-username.ts'
import { contactSchema, warningsSchema } from '../../sdk/contacts.ts'

export const contactAdd = z.strictObject({
  ...contactCreateSchema.omit({ priority: true }).shape,
  externalUserId: z
    .string()
    .refine(isExternalUserId, 'must have 1 to 128 characters and no control characters')
    .meta({ description: 'Whose contact; created where there is no such user yet' }),
})
export const contactAddedSchema = z.object({
  userId: z.uuid(),
  externalUserId: z.string(),
  contact: contactSchema,
  warnings: warningsSchema,
})

export const firstStepsSchema = z.object({
  application: z.object({ applicationId: z.uuid(), name: z.string() }).nullable(),
  contact: z
    .object({
      name: z.string(),
      externalUserId: z.string().nullable().meta({ description: 'null: the last contact of every cascade' }),
    })
    .nullable(),
  test: z.object({ at: z.iso.datetime() }).nullable().meta({ description: 'The last test message that was accepted' }),
  simulated: z.boolean(),
  maySimulate: z.boolean().meta({ description: 'No SMS or call leaves this machine' }),
  done: z.boolean().meta({ description: 'Nothing is left to do' }),
})
