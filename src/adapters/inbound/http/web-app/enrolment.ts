import { z } from 'zod'
import type { enrolDevice } from '../../../../app/user/enrol-device.ts'
import type { Logging } from '../admission/admission.ts'
import { throttleOf } from '../admission/throttle.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { APP_ID } from '../sdk/examples.ts'

const applicationSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    colour: z.string().meta({ description: '#rrggbb' }),
    emergencyNumber: z.string(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    smsNumber: z.string().nullable().meta({ description: 'The number that takes an SOS by SMS' }),
  })
  .meta({ id: 'AppApplication', description: 'An application with the app in the box' })
const proposed = z
  .object({ name: z.string(), phone: z.string() })
  .nullable()
  .meta({ description: 'A contact whom the invitation proposes; nobody is a contact before the person adds them' })
const offerSchema = z
  .object({
    application: applicationSchema,
    kind: z.enum(['person', 'poster', 'contact', 'device']),
    expiresAt: z.iso.datetime(),
    placesLeft: z.int(),
    proposedContact: proposed,
  })
  .meta({ id: 'AppOffer', description: 'What an invitation offers' })
const enrolledSchema = z
  .object({
    appId: z.uuid(),
    userId: z.string().meta({ description: 'The external user id: X-User-ID' }),
    deviceId: z.uuid(),
    credential: z.string().meta({ description: 'Goes where the user hash goes; for this device only' }),
    proposedContact: proposed,
  })
  .meta({ id: 'AppEnrolment', description: 'A device that was enrolled' })

const invitationField = z.string().max(200)
const lookSchema = z.object({ invitation: invitationField }).meta({ id: 'AppLook' })
const enrolmentSchema = z
  .object({
    invitation: invitationField,
    key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22}$/, 'must be 16 random bytes in base64url')
      .meta({ description: '16 random bytes in base64url, kept until the answer has come' }),
    deviceName: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control characters'),
  })
  .meta({ id: 'NewAppEnrolment' })

const refusals = {
  app_not_found: { kind: 'NOT_FOUND', message: 'There is no such application, or it has the app switched off.' },
  invitation_unknown: {
    kind: 'NOT_FOUND',
    message: 'This invitation was used, has ended or has expired, or never was one. Ask for a new one.',
  },
  app_device_limit: {
    kind: 'LIMIT',
    message: 'This person has the app on as many devices as they may. Remove one first.',
  },
  poster_hour: {
    kind: 'RATE_LIMITED',
    message: 'Too many people have used this poster within an hour. Try again later.',
  },
} as const satisfies Refusals

const application = {
  ...{ id: APP_ID, name: 'Hut', colour: '#0b6e4f', emergencyNumber: '140', country: 'AT', smsNumber: null },
}
const invitation = 'inv_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4'

/** Loaded when somebody first uses it: most sites have no app. */
export type EnrolmentParts = () => Promise<ReturnType<typeof enrolDevice>>
type Needs = Logging & { readonly enrolment: EnrolmentParts }

/** Browsers enrol with an invitation (app.md#enrolment). Public; wrong invitations slow their address down. */
export const enrolmentRoutes = (needs: Needs) =>
  family('APP', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        '/v1/app/applications/:appId',
        {
          schema: {
            operationId: 'getAppApplication',
            summary: 'An application as its app shows it',
            description: 'Name, colour and emergency number of an application with the app in the box. Public.',
            params: z.object({ appId: z.string() }),
            response: { 200: applicationSchema, ...errors(404) },
            examples: { parameters: { appId: APP_ID }, answers: { 200: application } },
          },
        },
        async (request, reply) => {
          const found = await (await needs.enrolment()).application(request.params.appId)
          return found ?? refuse(reply, 'app_not_found')
        },
      )

      scope.post(
        '/v1/app/invitations/look',
        {
          schema: {
            operationId: 'lookAtAppInvitation',
            summary: 'Shows what an invitation offers',
            description:
              'What an invitation offers, without using it. It is sent in the body: addresses are written to the logs of proxies.',
            body: lookSchema,
            response: { 200: offerSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: { invitation },
              answers: {
                200: {
                  ...{ application, kind: 'person', expiresAt: '2026-07-11T10:02:11.000Z', placesLeft: 1 },
                  proposedContact: null,
                },
              },
            },
          },
        },
        async (request, reply) => {
          const offered = await (await needs.enrolment()).look(request.body.invitation)
          if (!('refused' in offered)) return offered
          await throttleOf(scope).slowDown(request)
          return refuse(reply, offered.refused)
        },
      )

      scope.post(
        '/v1/app/enrolments',
        {
          schema: {
            operationId: 'enrolDevice',
            summary: 'Enrols a device with an invitation',
            description:
              'Uses a place of the invitation: a new user with this device, or a further device of a user. The same invitation and `key` give the same answer for 10 minutes, so a lost answer costs no place. 429 while a poster has enrolled 20 within an hour.',
            body: enrolmentSchema,
            response: { 201: enrolledSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { invitation, key: 'c2l4dGVlbiBieXRlcyEhIQ', deviceName: 'Firefox, Android' },
              answers: {
                201: {
                  ...{
                    appId: APP_ID,
                    userId: 'app-3fXc9qPz0LkWm2Ya',
                    deviceId: '0190b0d5-7c1a-7d3e-8f20-1a2b3c4d5e6f',
                  },
                  ...{ credential: 'dev_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF', proposedContact: null },
                },
              },
            },
          },
        },
        async (request, reply) => {
          const enrolled = await (await needs.enrolment()).enrol(request.body)
          if (!('refused' in enrolled)) return reply.code(201).send(enrolled)
          if ('retryAfterMs' in enrolled) {
            const seconds = Math.ceil(enrolled.retryAfterMs / 1000)
            return refuse(reply, enrolled.refused, { headers: { 'retry-after': String(seconds) } })
          }
          if (enrolled.refused === 'invitation_unknown') await throttleOf(scope).slowDown(request)
          return refuse(reply, enrolled.refused)
        },
      )
    },
  })
