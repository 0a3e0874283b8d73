import { z } from 'zod'
import {
  appDeviceView,
  endInvitation,
  invitationView,
  inviteToApp,
  removeDeviceNow,
} from '../../../../app/operator/app-invitations.ts'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { joinLink, MAX_PLACES, trustAddress } from '../../../../core/account/app-invitation.ts'
import { isExternalUserId } from '../../../../core/account/mqtt-username.ts'
import { nameField } from '../../../../core/account/profile-schema.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { applicationId, exampleTime, userId } from './examples.ts'
import { applicationFor, applicationIdOf, userFor } from './scope.ts'

const PATH = '/v1/operator/applications/:id/app-invitations'
const DEVICES = '/v1/operator/users/:id/app-devices'
const MAX_LISTED = 500

const moment = z.iso.datetime()

export const invitationSchema = z
  .object({
    id: z.uuid(),
    kind: z.enum(['person', 'poster', 'contact', 'device']),
    userId: z.uuid().nullable().meta({ description: 'Whose further device it is for, or who proposes themselves' }),
    label: z.string().nullable(),
    places: z.int(),
    used: z.int(),
    works: z.boolean().meta({ description: 'Whether it can be used now' }),
    createdBy: z.string(),
    createdAt: moment,
    expiresAt: moment,
    endedAt: moment.nullable(),
  })
  .meta({ id: 'AppInvitation', description: 'An invitation to the app' })
export const madeSchema = invitationSchema.extend({
  link: z.string().meta({ description: 'Shown once. Anyone who has it can use it' }),
  trust: z
    .object({
      address: z.string().meta({ description: 'The page that helps a phone to trust the local CA' }),
      fingerprint: z.string().meta({ description: 'SHA-256 of the CA, to compare' }),
    })
    .nullable()
    .meta({ description: 'null: phones need no help to trust this site' }),
})
export const appDeviceSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    enrolledAt: moment,
    lastUsedAt: moment.nullable(),
    removedFrom: moment.nullable().meta({ description: 'When its removal takes effect; null: nobody removes it' }),
  })
  .meta({ id: 'AppDevice', description: 'A device with the app' })

const label = nameField.nullable().default(null).meta({ description: 'Such as the place where a poster hangs' })
const invitationGiven = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('person'), label }),
  z.strictObject({ kind: z.literal('poster'), places: z.int().min(1).max(MAX_PLACES), label }),
  z.strictObject({
    kind: z.literal('device'),
    externalUserId: z.string().refine(isExternalUserId, 'must be the external id of a user'),
    label,
  }),
])

const refusals = {
  app_off: {
    kind: 'CONFLICT',
    message: 'The app is off, or the application or the user is disabled. Switch the app on in the application.',
  },
  invitation_limit: { kind: 'LIMIT', message: 'Too many invitations can be used already. End some of them.' },
  app_device_not_found: { kind: 'NOT_FOUND', message: 'The user has no such device.' },
} as const satisfies Refusals

const invitationId = '0190b0d4-7c1a-7d3e-8f20-1a2b3c4d5e6f'
const invitation = {
  ...{ id: invitationId, kind: 'poster', userId: null, label: 'Upper hut', places: 200, used: 3, works: true },
  createdBy: 'Ana',
  ...{ createdAt: exampleTime, expiresAt: '2027-05-04T14:08:12.000Z', endedAt: null },
} as const
const device = {
  ...{ id: '0190b0d5-7c1a-7d3e-8f20-1a2b3c4d5e6f', name: 'Firefox, Android', enrolledAt: exampleTime },
  ...{ lastUsedAt: exampleTime, removedFrom: null },
}
const ofApplication = idParams.extend({ invitationId: z.string() })
const ofUser = idParams.extend({ deviceId: z.string() })

type Needs = OperatorAdmission &
  Parameters<typeof inviteToApp>[0] & {
    readonly store: Pick<
      Store,
      | 'application'
      | 'appInvitations'
      | 'invitedUsers'
      | 'setInvitedDisabled'
      | 'appDevices'
      | 'user'
      | 'userByExternalId'
    >
    readonly noteLook: NoteLook
    readonly publicUrl: () => string
    /** Of the local CA; null where phones need none to trust this site. */
    readonly caFingerprint: () => string | null
    readonly endSessions: (appId: string) => void
  }

/** Invitations to the app in the box, and the devices that hold its credentials (app.md#enrolment). */
export const operatorAppInvitationRoutes = (needs: Needs) => {
  const { store, noteLook } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'app.invite' },
          schema: {
            operationId: 'inviteToApp',
            summary: 'Invites to the app',
            description:
              'Makes an invitation to the app: for one new user, for as many as a poster has places, or for a further device of a user. The link is in the answer, and is never shown again. A session has to be proved.',
            params: idParams,
            body: invitationGiven,
            response: { 201: madeSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: applicationId },
              body: { kind: 'poster', places: 200, label: 'Upper hut' },
              answers: {
                201: {
                  ...{ ...invitation, used: 0 },
                  link: 'https://sos.example.org/app/join#inv_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4',
                  trust: { address: 'https://sos.example.org/trust', fingerprint: '9F:86:D0:81:…' },
                },
              },
            },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const given = request.body
          const user = given.kind === 'device' ? await store.userByExternalId(appId, given.externalUserId) : null
          if (given.kind === 'device' && user === null) return refuse(reply, 'user_not_found')
          const by = callerOf(request).by()
          const places = given.kind === 'poster' ? given.places : 1
          const made = await inviteToApp(needs, { appId, kind: given.kind, user, places, label: given.label }, by)
          if ('refused' in made) return refuse(reply, made.refused)
          const [publicUrl, fingerprint] = [needs.publicUrl(), needs.caFingerprint()]
          // Over http no browser warns.
          const isHttps = publicUrl.startsWith('https:')
          return reply.code(201).send({
            ...invitationView(made.invitation, by.now),
            link: joinLink(publicUrl, made.secret),
            trust: fingerprint !== null && isHttps ? { address: trustAddress(publicUrl), fingerprint } : null,
          })
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'listAppInvitations',
            summary: 'Lists the invitations to the app',
            description: 'The newest 500 invitations of an application, without their links.',
            params: idParams,
            response: { 200: z.object({ items: z.array(invitationSchema) }), ...errors(404) },
            examples: { parameters: { id: applicationId }, answers: { 200: { items: [invitation] } } },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { inTurn, by } = callerOf(request)
          const { now } = by()
          const found = await inTurn(() => store.appInvitations(application.id, MAX_LISTED))
          return { items: found.map((one) => invitationView(one, now)) }
        },
      )

      scope.post(
        `${PATH}/:invitationId/end`,
        {
          config: { action: 'app.invite_end' },
          schema: {
            operationId: 'endAppInvitation',
            summary: 'Ends an invitation to the app',
            description: 'Nobody can use it any more. Devices that it has enrolled stay. Ending it twice succeeds.',
            params: ofApplication,
            response: { 200: invitationSchema, ...errors(404) },
            examples: {
              parameters: { id: applicationId, invitationId },
              answers: { 200: { ...invitation, works: false, endedAt: exampleTime } },
            },
          },
        },
        async (request, reply) => {
          const { id, invitationId } = request.params
          const appId = applicationIdOf(request, id)
          if (appId === null) return refuse(reply, 'application_not_found')
          if (!isUuid(invitationId)) return refuse(reply, 'app_invitation_not_found')
          const by = callerOf(request).by()
          const ended = await endInvitation(needs, { appId, id: invitationId.toLowerCase() }, by)
          return 'refused' in ended ? refuse(reply, ended.refused) : invitationView(ended, by.now)
        },
      )

      scope.get(
        DEVICES,
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'listAppDevices',
            summary: 'Lists the devices on which a user has the app',
            description: 'The devices of a user with the app, each with its last use. Noted in the audit log.',
            params: idParams,
            response: { 200: z.object({ items: z.array(appDeviceSchema) }), ...errors(404) },
            examples: { parameters: { id: userId }, answers: { 200: { items: [device] } } },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const { actor, address } = callerOf(request)
          noteLook({ actor, address, action: 'user.view', appId: user.appId, userId: user.id, subject: null })
          return { items: (await store.appDevices(user.id)).map(appDeviceView) }
        },
      )

      scope.delete(
        `${DEVICES}/:deviceId`,
        {
          // Somebody at a screen that was left open could keep a person from raising an alarm.
          config: { action: 'user.change' },
          schema: {
            operationId: 'removeAppDevice',
            summary: 'Removes a device at once',
            description: 'The device is signed out at once, its connections within 2 s. A session has to be proved.',
            params: ofUser,
            response: { 204: z.null(), ...errors(404) },
            examples: { parameters: { id: userId, deviceId: device.id } },
          },
        },
        async (request, reply) => {
          const { id, deviceId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          if (!isUuid(deviceId)) return refuse(reply, 'app_device_not_found')
          const removed = await removeDeviceNow(needs, user, deviceId.toLowerCase(), callerOf(request).by())
          if ('refused' in removed) return refuse(reply, removed.refused)
          needs.endSessions(user.appId)
          return reply.code(204).send(null)
        },
      )
    },
  })
}
