import { z } from 'zod'
import { setInvitedDisabled } from '../../../../app/operator/app-invitations.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { applicationId } from './examples.ts'
import { applicationIdOf } from './scope.ts'

const PATH = '/v1/operator/applications/:id/app-invitations/:invitationId'

export const invitedUsersSchema = z
  .object({
    users: z.int().meta({ description: 'Users whom the invitation created' }),
    enabled: z.int(),
    inAlarm: z.int().meta({ description: 'With an open alarm: they stay enabled' }),
  })
  .meta({ id: 'InvitedUsers', description: 'Who joined by an invitation' })

const invitationId = '0190b0d4-7c1a-7d3e-8f20-1a2b3c4d5e6f'
const invited = { users: 40, enabled: 39, inAlarm: 1 }
const ofApplication = idParams.extend({ invitationId: z.string() })

type Needs = OperatorAdmission &
  Parameters<typeof setInvitedDisabled>[0] & { readonly endSessions: (appId: string) => void }

/** Everyone who joined by an invitation: how many they are, and disabling them at once. app.md#enrolment. */
export const operatorInvitedUserRoutes = (needs: Needs) => {
  const { store } = needs
  return family('OPERATOR', needs, {
    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/users`,
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'countInvitedUsers',
            summary: 'Counts the users whom an invitation created',
            description: 'How many users joined by it, how many are enabled, and how many have an open alarm.',
            params: ofApplication,
            response: { 200: invitedUsersSchema, ...errors(404) },
            examples: { parameters: { id: applicationId, invitationId }, answers: { 200: invited } },
          },
        },
        async (request, reply) => {
          const { id, invitationId } = request.params
          const appId = applicationIdOf(request, id)
          if (appId === null) return refuse(reply, 'application_not_found')
          if (!isUuid(invitationId)) return refuse(reply, 'app_invitation_not_found')
          const found = await callerOf(request).inTurn(() => store.invitedUsers(appId, invitationId.toLowerCase()))
          return found ?? refuse(reply, 'app_invitation_not_found')
        },
      )

      for (const [word, disabled, said] of [
        [
          'disable-users',
          true,
          {
            operationId: 'disableInvitedUsers',
            summary: 'Stops admitting everyone who joined by an invitation',
            description:
              'Ends the invitation, stops admitting the users whom it created, and closes their connections within 2 s. A user with an open alarm stays enabled: repeat it once the alarm is over. A session has to be proved.',
          },
        ],
        [
          'enable-users',
          false,
          {
            operationId: 'enableInvitedUsers',
            summary: 'Admits everyone who joined by an invitation again',
            description: 'Also those who were disabled one by one. The invitation stays ended.',
          },
        ],
      ] as const) {
        scope.post(
          `${PATH}/${word}`,
          {
            // A user who is no longer admitted can raise no alarm.
            config: { action: disabled ? 'user.change' : 'user.enable' },
            schema: {
              ...said,
              params: ofApplication,
              response: { 200: invitedUsersSchema.extend({ changed: z.int() }), ...errors(404) },
              examples: {
                parameters: { id: applicationId, invitationId },
                answers: { 200: { ...invited, enabled: disabled ? 1 : 40, changed: disabled ? 38 : 1 } },
              },
            },
          },
          async (request, reply) => {
            const { id, invitationId } = request.params
            const appId = applicationIdOf(request, id)
            if (appId === null) return refuse(reply, 'application_not_found')
            if (!isUuid(invitationId)) return refuse(reply, 'app_invitation_not_found')
            const one = { appId, id: invitationId.toLowerCase() }
            const changed = await setInvitedDisabled(needs, one, disabled, callerOf(request).by())
            if ('refused' in changed) return refuse(reply, changed.refused)
            needs.endSessions(appId)
            return changed
          },
        )
      }
    },
  })
}
