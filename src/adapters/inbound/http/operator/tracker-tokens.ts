import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { endTrackerToken, newTrackerToken, trackerDetailView } from '../../../../app/operator/tracker-tokens.ts'
import { isExternalUserId } from '../../../../core/account/mqtt-username.ts'
import { hardwareIdField } from '../../../../core/account/pairing-schema.ts'
import type { MqttAddress } from '../../../../core/field/set-up.ts'
import { setUpLinks, trackerAddress } from '../../../../core/field/set-up.ts'
import type { HardwareDetail, Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { applicationId, exampleTime, tracker } from './examples.ts'
import { applicationIdOf } from './scope.ts'
import { trackerSchema } from './trackers.ts'

const PATH = '/v1/operator/devices'

const moment = z.iso.datetime()

const trackerQuery = z.object({ app: z.string().max(100), hardwareId: hardwareIdField })

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

const tokenGiven = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  externalUserId: z
    .string()
    .refine(isExternalUserId, 'must be the external id of a user')
    .optional()
    .meta({ description: 'Pair it with this user first' }),
})
const tokenEnded = z.strictObject({ applicationId: z.string(), hardwareId: hardwareIdField })

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

const refusals = {
  tracker_disabled: {
    kind: 'CONFLICT',
    message: 'The user of this tracker or its application is disabled, so nothing that it sends would be accepted.',
  },
} as const satisfies Refusals

const { hardwareId } = tracker
const detail = {
  ...tracker,
  disabled: false,
  applicationSilentAfterMinutes: 720,
  tokenMadeAt: exampleTime,
  heardAt: exampleTime,
  battery: 80,
  sosSince: null,
  address: 'https://sos.example.org/v1/trackers',
}
const token = 'bXl0b2tlbi1teXRva2VuLW15dG9rZW4tbXl0b2tlbjEy'

type Needs = OperatorAdmission &
  Parameters<typeof newTrackerToken>[0] & {
    readonly store: Pick<Store, 'hardwareDetail'>
    readonly noteLook: NoteLook
    /** The address of the MQTT listener for trackers; null if it is unknown. */
    readonly trackerMqtt: () => MqttAddress | null
  }

/**
 * One tracker, and its token. The token is in the body of one answer and nowhere else: a request names the tracker, and
 * an address ends up in logs and histories. protocol.md#operator-api.
 */
export const operatorTrackerTokenRoutes = (needs: Needs) => {
  const { store, noteLook, callers, publicUrl, trackerMqtt } = needs
  const shown = (tracker: HardwareDetail) => ({
    applicationId: tracker.appId,
    userId: tracker.userId,
    ...trackerDetailView(tracker, callers.now()),
    address: trackerAddress(publicUrl()),
  })

  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/token`,
        {
          config: { action: 'device.change' },
          schema: {
            operationId: 'makeTrackerToken',
            summary: 'Gives a paired tracker its own token; the previous one ends',
            description:
              'Gives a paired tracker its own token and the set-up links of its apps; the previous token ends. `externalUserId` pairs it first if nobody has paired it. Token and links are shown only once. A session has to be proved.',
            body: tokenGiven,
            response: { 201: tokenMadeSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { applicationId, hardwareId, externalUserId: 'mia-7' },
              answers: {
                201: {
                  ...detail,
                  token,
                  traccar: `https://sos.example.org/v1/trackers/osmand?id=${token}`,
                  ownTracks: 'owntracks:///config?inline=eyJfdHlwZSI6ImNvbmZpZ3VyYXRpb24ifQ%3D%3D',
                  ownTracksMqtt: null,
                },
              },
            },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId, externalUserId = null } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const made = await newTrackerToken(needs, { appId, hardwareId, externalUserId }, callerOf(request).by())
          if ('refused' in made) return refuse(reply, made.refused)
          const { token, tracker } = made
          return reply
            .code(201)
            .send({ ...shown(tracker), token, ...setUpLinks(publicUrl(), token, hardwareId, trackerMqtt()) })
        },
      )

      scope.post(
        `${PATH}/token/revoke`,
        {
          // Somebody at a screen that was left open could silence a tracker.
          config: { action: 'device.change' },
          schema: {
            operationId: 'revokeTrackerToken',
            summary: 'Revokes the token of a tracker',
            description:
              'Revokes the token of a tracker: nobody who has it can report any more. Also while its user is disabled. A session has to be proved.',
            body: tokenEnded,
            response: { 200: trackerDetailSchema, ...bodyErrors, ...errors(404, 409) },
            examples: { body: { applicationId, hardwareId }, answers: { 200: { ...detail, tokenMadeAt: null } } },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const ended = await endTrackerToken(needs, { appId, hardwareId }, callerOf(request).by())
          return 'refused' in ended ? refuse(reply, ended.refused) : shown(ended.tracker)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/show`,
        {
          config: { action: 'device.view' },
          schema: {
            operationId: 'getTracker',
            summary: 'One tracker: its owner, when it was last heard from, whether it has a token',
            description:
              'One tracker with when it was last heard from, its battery, its token and from when on it counts as silent. Noted in the audit log.',
            querystring: trackerQuery,
            response: { 200: trackerDetailSchema, ...errors(400, 404) },
            examples: { parameters: { app: applicationId, hardwareId }, answers: { 200: detail } },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.query.app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const tracker = await store.hardwareDetail(appId, request.query.hardwareId)
          if (tracker === null) return refuse(reply, 'hardware_not_found')
          const { actor, address } = callerOf(request)
          const { userId, hardwareId } = tracker
          noteLook({ actor, address, action: 'device.view', appId, userId, subject: hardwareId })
          return shown(tracker)
        },
      )
    },
  })
}
