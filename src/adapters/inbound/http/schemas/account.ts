import { z } from 'zod'

/** protocol.md#profile. Unset fields are null. */
const profileFields = z.object({
  id: z.uuid().meta({ description: 'The `sdk_user_id` of every MQTT topic' }),
  appId: z.uuid(),
  externalUserId: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  address: z.string().nullable(),
})

/** protocol.md#profile: the fields at the top level and the same object again under `user`. */
export const profileSchema = profileFields
  .extend({ user: profileFields })
  .meta({ id: 'Profile', description: 'The profile' })

/** What is odd about a number that was stored all the same. Absent where nothing is. protocol.md#contacts. */
export const warningsSchema = z
  .array(
    z.object({
      code: z.enum(['number_implausible', 'number_is_own', 'number_twice']),
      field: z.literal('phone'),
      message: z.string(),
    }),
  )
  .readonly()
  .optional()

export const changedProfileSchema = profileSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedProfile', description: 'The profile, with what is odd about its number' })

/** protocol.md#contacts. */
export const contactSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    phone: z.string(),
    email: z.string().nullable(),
    priority: z.number().int().min(1),
    language: z.string(),
    verifiedAt: z.iso.datetime().optional().meta({ description: 'When the contact agreed; absent until then' }),
    declinedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When the contact said that they do not know the user: alarmed last' }),
    stoppedAt: z.iso.datetime().optional().meta({
      description: 'When the contact stopped messages (`STOP` by SMS): alarmed last, until they answer START',
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact', description: 'The contact' })

export const changedContactSchema = contactSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedContact', description: 'The contact, with what is odd about its number' })

/** What asking a contact answers. */
export const verificationSchema = z.object({
  status: z.enum(['requested', 'verified']).meta({
    description:
      '`requested` does not say that a message leaves: that would reveal whether another user has named the number',
  }),
})
