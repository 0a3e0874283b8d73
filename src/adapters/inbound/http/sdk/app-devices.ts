import { z } from 'zod'
import type { ownAppDevices } from '../../../../app/user/own-app-devices.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'

const PATH = '/v1/sdk/me/app-devices'
const moment = z.iso.datetime()

const deviceSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    enrolledAt: moment,
    lastUsedAt: moment.nullable().meta({ description: 'Noted at most once an hour' }),
    isThis: z.boolean(),
    removedFrom: moment.nullable().meta({ description: 'When its removal takes effect; null: nobody removes it' }),
  })
  .meta({ id: 'OwnAppDevice', description: 'A device on which the user has the app' })
const erasesAt = moment
  .nullable()
  .meta({ description: 'When the user is erased, as they have asked; null: not at all' })
const listedSchema = deviceSchema
  .extend({ leavesAtOnce: z.boolean().meta({ description: 'This device would remove it at once, not after 72 h' }) })
  .meta({ id: 'ListedAppDevice' })
const listSchema = z.object({ devices: z.array(listedSchema), erasesAt }).meta({ id: 'OwnAppDevices' })
const invitedSchema = z
  .object({ invitation: z.string(), link: z.string(), expiresAt: moment })
  .meta({ id: 'OwnAppInvitation', description: 'An invitation for a further device' })
const erasureSchema = z.object({ erasesAt }).meta({ id: 'OwnErasure' })

const refusals = {
  not_enrolled: { kind: 'CONFLICT', message: 'Only a device with the app in the box can do this.' },
  app_device_not_found: { kind: 'NOT_FOUND', message: 'There is no such device.' },
  app_off: { kind: 'CONFLICT', message: 'The app is switched off. Ask its operator for a further device.' },
  not_vouched_for: {
    kind: 'CONFLICT',
    message: 'Only people whom an operator has invited can invite others. Ask the operator for an invitation.',
  },
  nothing_to_propose: {
    kind: 'CONFLICT',
    message: 'Enter your name and your number first: the other person sees them.',
  },
  invitation_limit: { kind: 'LIMIT', message: 'Too many invitations are open. Use one, or wait ten minutes.' },
} as const satisfies Refusals

const device = {
  ...{ id: '0190b0d5-7c1a-7d3e-8f20-1a2b3c4d5e6f', name: 'Firefox, Android', enrolledAt: '2026-07-04T10:02:11.000Z' },
  ...{ lastUsedAt: '2026-07-04T11:02:11.000Z', isThis: false, removedFrom: null },
}
const one = { id: device.id }
const removed = { ...device, removedFrom: '2026-07-07T12:00:00.000Z' }
const invitation = 'inv_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4'

type Needs = UserAdmission & {
  /** Loaded when somebody first uses it. */
  readonly ownAppDevices: () => Promise<ReturnType<typeof ownAppDevices>>
}

/** The devices with the app in the box, for the person themselves (app.md#removing). */
export const appDeviceRoutes = (needs: Needs) =>
  family('PROFILE', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'listOwnAppDevices',
            summary: 'The devices on which the user has the app',
            description: 'The devices on which the user has the app in the box, the latest enrolled first.',
            response: { 200: listSchema },
            examples: {
              answers: { 200: { devices: [{ ...device, isThis: true, leavesAtOnce: true }], erasesAt: null } },
            },
          },
        },
        async (request) => (await needs.ownAppDevices()).list(sessionOf(request)),
      )

      scope.delete(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'removeOwnAppDevice',
            summary: 'Removes a device, after 72 hours',
            description:
              'Removes a device after 72 h, until when any device can undo it; at once its own device, and one that a phone added, less than 72 h ago and later than this one.',
            params: idParams,
            response: { 200: deviceSchema, ...errors(404, 409) },
            examples: { parameters: one, answers: { 200: removed } },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'app_device_not_found')
          const done = await (await needs.ownAppDevices()).remove(sessionOf(request), id.toLowerCase())
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )

      scope.post(
        `${PATH}/:id/keep`,
        {
          schema: {
            operationId: 'keepOwnAppDevice',
            summary: 'Takes the removal of a device back',
            description: 'Takes the removal of a device back, before it has taken effect. Doing it twice succeeds.',
            params: idParams,
            response: { 200: deviceSchema, ...errors(404, 409) },
            examples: { parameters: one, answers: { 200: device } },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'app_device_not_found')
          const done = await (await needs.ownAppDevices()).keep(sessionOf(request), id.toLowerCase())
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )

      for (const [path, kind, said] of [
        [
          '/v1/sdk/me/invitations',
          'device',
          {
            operationId: 'inviteOwnAppDevice',
            summary: 'Invites a further device of the user',
            description: 'An invitation for a further device of this user: one use, within 10 minutes.',
          },
        ],
        [
          '/v1/sdk/me/invitations/contact',
          'contact',
          {
            operationId: 'inviteAsContact',
            summary: 'Invites somebody whose contact this user will be',
            description:
              'An invitation for one new user, within 7 days, which proposes this user as contact, with name and number of the profile. Nobody is a contact before the other person adds them.',
          },
        ],
      ] as const) {
        scope.post(
          path,
          {
            schema: {
              ...said,
              response: { 201: invitedSchema, ...errors(409) },
              examples: {
                answers: {
                  201: {
                    invitation,
                    link: `https://sos.example.org/app/join#${invitation}`,
                    expiresAt: '2026-07-04T10:12:11.000Z',
                  },
                },
              },
            },
          },
          async (request, reply) => {
            const done = await (await needs.ownAppDevices()).invite(sessionOf(request), kind)
            return 'refused' in done ? refuse(reply, done.refused) : reply.code(201).send(done)
          },
        )
      }

      for (const [method, isWanted, said] of [
        [
          'POST',
          true,
          {
            operationId: 'requestOwnErasure',
            summary: 'Erases everything kept of the user, after 72 hours',
            description:
              'Everything kept of the user is erased after 72 h, until when any of their devices can undo it.',
          },
        ],
        [
          'DELETE',
          false,
          {
            operationId: 'undoOwnErasure',
            summary: 'Takes the erasure back',
            description: 'Takes the erasure back, before it has taken effect. Doing it twice succeeds.',
          },
        ],
      ] as const) {
        scope.route({
          method,
          url: '/v1/sdk/me/erasure',
          schema: {
            ...said,
            response: { 200: erasureSchema, ...errors(409) },
            examples: { answers: { 200: { erasesAt: isWanted ? '2026-07-07T12:00:00.000Z' : null } } },
          },
          handler: async (request, reply) => {
            const done = await (await needs.ownAppDevices()).erase(sessionOf(request), isWanted)
            return 'refused' in done ? refuse(reply, done.refused) : done
          },
        })
      }
    },
  })
