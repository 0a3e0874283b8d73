import { z } from 'zod'
import { pairTracker } from '../../../../app/operator/tracker-tokens.ts'
import { hardwareView, trackerModels } from '../../../../app/operator/trackers.ts'
import { hardwareIdField } from '../../../../core/account/pairing-schema.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { applicationId, tracker, userId } from './examples.ts'
import { applicationIdOf, userFor } from './scope.ts'
import { trackerSchema } from './trackers.ts'

const PATH = '/v1/operator/devices'

const pairGiven = z.strictObject({ applicationId: z.string(), hardwareId: hardwareIdField, userId: z.string() })
export const modelsSchema = z.object({
  items: z.array(
    z.object({
      model: z.string(),
      profile: z
        .enum(['shipped', 'own'])
        .nullable()
        .meta({ description: 'The profile of its uplinks (LoRaWAN): of Tocsin, or of the site; null: none' }),
      trackers: z.int().meta({ description: 'Registered trackers of this model, of the caller’s applications' }),
    }),
  ),
})

type Needs = OperatorAdmission &
  Parameters<typeof pairTracker>[0] & {
    readonly store: Pick<Store, 'user' | 'hardware' | 'hardwareModels'>
    /** The profiles in force by name, in lower case, and where they come from. */
    readonly profileNames: () => ReadonlyMap<string, 'shipped' | 'own'>
  }

/** Trackers of people without an app, and the models that the service can read. people.md#trackers. */
export const operatorPairingRoutes = (needs: Needs) => {
  const { store, callers } = needs
  return family('OPERATOR', needs, {
    json(scope, refuse) {
      scope.post(
        `${PATH}/pair`,
        {
          // From then on the tracker raises this person's alarms.
          config: { action: 'device.change' },
          schema: {
            operationId: 'pairTracker',
            summary: 'Pairs a registered tracker with a person of its application',
            description:
              'Pairs a registered tracker with a person, who needs neither an app nor the pairing code. 409 `paired_to_another`, `device_limit`.',
            body: pairGiven,
            response: { 200: trackerSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { applicationId, hardwareId: 'T1000-0042', userId },
              answers: { 200: tracker },
            },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId, userId } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const user = await userFor(store, request, userId)
          const paired = await pairTracker(needs, { appId, hardwareId }, user, callerOf(request).by())
          if ('refused' in paired) return refuse(reply, paired.refused)
          const row = await store.hardware(appId, hardwareId)
          if (row === null) return refuse(reply, 'hardware_not_found')
          return { applicationId: appId, userId: row.userId, ...hardwareView(row, callers.now()) }
        },
      )
    },

    bodiless(scope) {
      scope.get(
        `${PATH}/models`,
        {
          config: { action: 'device.view' },
          schema: {
            operationId: 'listTrackerModels',
            summary: 'Lists the models of trackers: those with a profile, and those that are registered',
            description: 'At most 200 of the registered ones. Uplinks of a model without a profile raise no SOS.',
            response: { 200: modelsSchema },
            examples: {
              answers: { 200: { items: [{ model: 'dragino-trackerd', profile: 'shipped', trackers: 12 }] } },
            },
          },
        },
        async (request) => {
          const { grant, inTurn } = callerOf(request)
          const registered = await inTurn(() => store.hardwareModels(grant.applications))
          return { items: trackerModels(registered ?? [], needs.profileNames()) }
        },
      )
    },
  })
}
