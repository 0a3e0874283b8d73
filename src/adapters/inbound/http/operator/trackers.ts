import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import {
  hardwareView,
  importTrackers,
  registerTracker,
  unpairTracker,
  watchTracker,
} from '../../../../app/operator/trackers.ts'
import { hardwareLines } from '../../../../core/account/hardware-lines.ts'
import { hardwareIdField, modelField, newPairingCodeField } from '../../../../core/account/pairing-schema.ts'
import { silentAfterMinutesField } from '../../../../core/account/silence.ts'
import { readCsv } from '../../../../lib/csv.ts'
import { FairTurns } from '../../../../lib/fair-turns.ts'
import type { HardwareRow, Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { pageSchema } from '../schemas/page.ts'
import { applicationId, exampleList, exampleQuery, tracker } from './examples.ts'
import { applicationFor, applicationIdOf, listQuery, noteListLook, pageOf, scopedQueryOf } from './scope.ts'

const PATH = '/v1/operator/devices'

const moment = z.iso.datetime()
export const trackerSchema = z
  .object({
    applicationId: z.uuid(),
    hardwareId: z.string(),
    model: z.string().nullable(),
    userId: z.uuid().nullable(),
    externalUserId: z.string().nullable(),
    pairedAt: moment.nullable(),
    lockedUntil: moment.nullable(),
    silentAfterMinutes: z.int().nullable().meta({ description: '0 is off; null: as its application says' }),
    silentSince: moment.nullable().meta({ description: 'When it was last heard, once it counts as silent' }),
  })
  .meta({ id: 'OperatorTracker', description: 'A registered tracker' })
export const trackerMade = trackerSchema.extend({
  pairingCode: z.string().optional().meta({ description: 'The code that was made. Never shown again' }),
})
const trackerCreate = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  pairingCode: newPairingCodeField.nullable().default(null).meta({ description: 'Absent or null: one is made' }),
  model: modelField.nullable().default(null),
})
const unpairGiven = z.strictObject({ applicationId: z.string(), hardwareId: hardwareIdField })
const watchGiven = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  silentAfterMinutes: silentAfterMinutesField
    .nullable()
    .meta({ description: '0 is off, or 15 to 43200; null: as its application says' }),
})
const importQuery = z.object({
  app: z.string().max(100),
  partial: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Register the valid lines even if others are invalid' }),
})
export const importedSchema = z.object({
  registered: z.int(),
  rejected: z.array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() })),
})

const refusals = {
  bad_csv: { kind: 'VALIDATION', message: 'The file cannot be used. Nothing was registered.' },
} as const satisfies Refusals

const rejected = [{ line: 3, field: 'pairingCode', message: 'is too easy to guess' }]

type Needs = OperatorAdmission &
  Parameters<typeof registerTracker>[0] &
  Parameters<typeof importTrackers>[0] &
  Parameters<typeof unpairTracker>[0] &
  Parameters<typeof watchTracker>[0] & {
    readonly store: Pick<Store, 'application' | 'hardwarePage'>
    readonly noteLook: NoteLook
  }

/** Each code takes about 20 ms of a thread to hash. */
const MAX_LINES = 500
const MAX_FILE_BYTES = 256 * 1024
const MAX_REJECTED = 100

const devicesQuery = listQuery.extend({
  silent: z.enum(['true']).optional().meta({ description: 'Only devices that count as silent' }),
})

/** The registered trackers. protocol.md#operator-api. */
export const operatorTrackerRoutes = (needs: Needs) => {
  const { store, noteLook, callers } = needs
  // A file takes up to ten seconds of hashing, in which its trackers are held in memory.
  const imports = new FairTurns({ atOnce: 1, maxWaiting: 1 })
  const shown = ({ appId, ...row }: HardwareRow & { readonly appId: string }) => ({
    applicationId: appId,
    userId: row.userId,
    ...hardwareView(row, callers.now()),
  })

  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          // Anyone who knows the code can pair the tracker.
          config: { action: 'device.change' },
          schema: {
            operationId: 'registerTracker',
            summary: 'Adds a tracker, or gives it a new pairing code and unlocks it',
            description:
              'Adds a tracker, or gives it a new pairing code and unlocks it. Without a code one of 8 characters is made, and stands in the answer. A code is never shown again.',
            body: trackerCreate,
            response: { 200: trackerMade, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { applicationId, hardwareId: 'T1000-0042', pairingCode: 'swordfish-1', model: 'T1000' },
              answers: { 200: { ...tracker, userId: null, externalUserId: null, pairedAt: null } },
            },
          },
        },
        async (request, reply) => {
          const { applicationId, ...registration } = request.body
          const application = await applicationFor(store, request, applicationId)
          if (application === null) return refuse(reply, 'application_not_found')
          const made = await registerTracker(needs, application.id, registration, callerOf(request).by())
          const { madeCode, ...row } = made
          return {
            ...shown({ appId: application.id, ...row }),
            ...(madeCode !== undefined && { pairingCode: madeCode }),
          }
        },
      )

      scope.post(
        `${PATH}/unpair`,
        {
          // A tracker without an owner raises no alarm.
          config: { action: 'device.change' },
          schema: {
            operationId: 'unpairTracker',
            summary: 'Unpairs a tracker from its user; it stays registered',
            description: 'Unpairs a tracker from its user. It stays registered and can be paired again.',
            body: unpairGiven,
            response: { 200: trackerSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { applicationId, hardwareId: 'T1000-0042' },
              answers: { 200: { ...tracker, userId: null, externalUserId: null, pairedAt: null } },
            },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const unpaired = await unpairTracker(needs, appId, hardwareId, callerOf(request).by())
          return 'refused' in unpaired ? refuse(reply, unpaired.refused) : shown({ appId, ...unpaired })
        },
      )

      scope.post(
        `${PATH}/watch`,
        {
          config: { action: 'device.change' },
          schema: {
            operationId: 'watchTracker',
            summary: 'Sets after how long without a report a tracker counts as silent',
            description:
              'Sets after how many minutes without a report a tracker counts as silent; null: the setting of its application.',
            body: watchGiven,
            response: { 200: trackerSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: { applicationId, hardwareId: 'T1000-0042', silentAfterMinutes: 360 },
              answers: { 200: { ...tracker, silentAfterMinutes: 360 } },
            },
          },
        },
        async (request, reply) => {
          const { applicationId, ...given } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const watched = await watchTracker(needs, appId, given, callerOf(request).by())
          return 'refused' in watched ? refuse(reply, watched.refused) : shown({ appId, ...watched })
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'device.view' },
          schema: {
            operationId: 'listTrackers',
            summary: 'Lists the registered trackers and their owners',
            description:
              'Registered trackers and whose they are; `text` looks in hardware id, model and external id. With `silent=true` only devices that count as silent.',
            querystring: devicesQuery,
            response: { 200: pageSchema(trackerSchema), ...errors(400, 404) },
            examples: { parameters: { ...exampleQuery, silent: 'true' }, answers: { 200: exampleList(tracker) } },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, query, 'device.view')
          const { inTurn } = callerOf(request)
          return pageOf(
            await inTurn(() => store.hardwarePage({ ...query, onlySilent: request.query.silent === 'true' })),
            shown,
          )
        },
      )
    },

    files(scope, refuse) {
      scope.post(
        `${PATH}/import`,
        {
          bodyLimit: MAX_FILE_BYTES,
          config: { action: 'device.change' },
          schema: {
            operationId: 'importTrackers',
            summary: 'Registers the trackers of a CSV file, all of them or none',
            description:
              'Registers up to 500 trackers of a CSV file, all of them or none; with `partial=true` the valid lines even if others are invalid. Errors name the line.',
            consumes: ['text/csv'],
            querystring: importQuery,
            body: z.string().meta({ description: 'UTF-8 with the header hardwareId,pairingCode,model' }),
            response: { 200: importedSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { app: applicationId, partial: 'true' },
              body: 'hardwareId,pairingCode,model\nT1000-0042,swordfish-1,T1000\n',
              answers: { 200: { registered: 1, rejected } },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.query.app)
          if (application === null) return refuse(reply, 'application_not_found')
          const read = hardwareLines(readCsv(request.body))
          if ('refused' in read)
            return refuse(reply, 'bad_csv', { message: `The file cannot be used: ${read.refused}.` })
          const { good, bad } = read
          const rejected = bad.slice(0, MAX_REJECTED)
          if (good.length > MAX_LINES) {
            const message = `The file has more than ${MAX_LINES} trackers. Split it.`
            return refuse(reply, 'bad_csv', { message, rejected })
          }
          const partial = request.query.partial === 'true'
          if (bad.length > 0 && !partial) {
            const [{ line, field, message: why }] = bad as [(typeof bad)[number]]
            const first = `line ${line}: ${field === null ? '' : `${field} `}${why}`
            const message = `Nothing was registered: ${bad.length} ${bad.length === 1 ? 'line is' : 'lines are'} wrong. First ${first}.`
            return refuse(reply, 'bad_csv', { message, rejected })
          }
          const { actor, by } = callerOf(request)
          const registered = await imports.run(actor.id, () =>
            importTrackers(needs, application.id, read, partial, by()),
          )
          if (registered === null) return refuse(reply, 'too_many_at_once')
          return { registered, rejected }
        },
      )
    },
  })
}
