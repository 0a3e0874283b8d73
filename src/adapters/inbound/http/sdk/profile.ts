import { z } from 'zod'
import type { ownAccount } from '../../../../app/user/own-account.ts'
import type { ownPhone } from '../../../../app/user/own-phone.ts'
import { profileView, type User } from '../../../../core/account/profile.ts'
import { type ProfileUpdate, profileUpdateSchema } from '../../../../core/account/profile-schema.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { bodyErrors } from '../schemas/error.ts'
import { warningsSchema } from './contacts.ts'
import { APP_ID, USER_ID } from './examples.ts'

/** protocol.md#profile. Unset fields are null. */
const profileFields = z.object({
  id: z.uuid().meta({ description: 'The `sdk_user_id` of every MQTT topic' }),
  appId: z.uuid(),
  externalUserId: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  address: z.string().nullable(),
  phoneProvedAt: z.iso.datetime().nullable().meta({ description: 'When the user proved the number; null: not proved' }),
  phoneTakenAt: z.iso.datetime().nullable().meta({ description: 'When another user proved it since' }),
  smsSos: z
    .object({
      number: z.string().nullable().meta({ description: 'The number to text' }),
      code: z.string().nullable().meta({ description: 'Four digits for a text; null until the number is proved' }),
      from: z.string().nullable().meta({ description: 'The proved number that texts count from' }),
    })
    .nullable()
    .meta({ description: 'SOS by SMS; null where the application takes none' }),
})

/** protocol.md#profile: the fields at the top level and the same object again under `user`. */
export const profileSchema = profileFields
  .extend({ user: profileFields })
  .meta({ id: 'Profile', description: 'The profile' })

const updateSchema = profileUpdateSchema.meta({ id: 'ProfileUpdate' })

const changedProfileSchema = profileSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedProfile', description: 'The profile, with what is odd about its number' })

const fields = {
  id: USER_ID,
  appId: APP_ID,
  externalUserId: 'mia@hikers',
  name: 'Mia Moser',
  email: 'mia@example.org',
  phone: '+436601234567',
  address: null,
  phoneProvedAt: '2026-03-01T09:10:00.000Z',
  phoneTakenAt: null,
  smsSos: { number: '+436601111111', code: '4711', from: '+436601234567' },
}
const profile = { ...fields, user: fields }

type Needs = UserAdmission & {
  readonly ownAccount: ReturnType<typeof ownAccount>
  readonly ownPhone: Pick<ReturnType<typeof ownPhone>, 'view'>
}

/** `GET` and `PUT /v1/sdk/me`. protocol.md#profile. */
export const profileRoutes = (needs: Needs) => {
  /** protocol.md#profile: the response carries the profile in both places. */
  const twice = async (user: User) => {
    const fields = { ...profileView(user), ...(await needs.ownPhone.view(user)) }
    return { ...fields, user: fields }
  }
  return family('PROFILE', needs, {
    json(scope, refuse) {
      scope.get(
        '/v1/sdk/me',
        {
          schema: {
            operationId: 'getProfile',
            summary: 'The user’s own profile, with the id that MQTT topics use',
            description:
              'The user of this session, created on the first valid request. `id` is the `sdk_user_id` in every MQTT topic: read it before you connect. The fields are at the top level and again under `user`.',
            response: { 200: profileSchema },
            examples: { answers: { 200: profile } },
          },
        },
        async (request) => twice(await needs.ownAccount.profile(sessionOf(request))),
      )

      scope.put(
        '/v1/sdk/me',
        {
          schema: {
            operationId: 'updateProfile',
            summary: 'Updates the profile; null clears a field',
            description: 'Changes only the fields sent; `null` clears a field. Contacts see the name in alerts.',
            body: updateSchema,
            response: { 200: changedProfileSchema, ...bodyErrors },
            examples: { body: { name: 'Mia Moser', phone: '+436601234567', address: null }, answers: { 200: profile } },
          },
        },
        async (request, reply) => {
          const update: ProfileUpdate = request.body
          const updated = await needs.ownAccount.updateProfile(sessionOf(request), update)
          if ('refused' in updated) return refuse(reply, updated.refused)
          const warnings = await needs.ownAccount.warningsOf(sessionOf(request), null)
          return { ...(await twice(updated)), ...(warnings.length > 0 && { warnings }) }
        },
      )
    },
  })
}
