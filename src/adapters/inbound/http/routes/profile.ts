import { profileView, type User } from '../../../../core/account/profile.ts'
import { type ProfileUpdate, profileUpdateSchema } from '../../../../core/account/profile-schema.ts'
import { sessionOf } from '../admission/session.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { changedProfileSchema, profileSchema } from '../schemas/account.ts'
import { bodyErrors } from '../schemas/error.ts'

/** protocol.md#profile: the response carries the profile in both places. */
const twice = (user: User) => ({ ...profileView(user), user: profileView(user) })

/** `GET` and `PUT /v1/sdk/me`. protocol.md#profile. */
export const profileRoutes = (parts: HttpParts) =>
  family('PROFILE', parts, {
    json(scope, refuse) {
      scope.get(
        '/v1/sdk/me',
        {
          schema: {
            summary: 'The user’s own profile, with the id that MQTT topics use',
            response: { 200: profileSchema },
          },
        },
        async (request) => twice(await parts.ownAccount.profile(sessionOf(request))),
      )

      scope.put(
        '/v1/sdk/me',
        {
          schema: {
            summary: 'Updates the profile; null clears a field',
            body: profileUpdateSchema,
            response: { 200: changedProfileSchema, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const update: ProfileUpdate = request.body
          const updated = await parts.ownAccount.updateProfile(sessionOf(request), update)
          if ('refused' in updated) return refuse(reply, updated.refused)
          const warnings = await parts.ownAccount.warningsOf(sessionOf(request), null)
          return { ...twice(updated), ...(warnings.length > 0 && { warnings }) }
        },
      )
    },
  })
