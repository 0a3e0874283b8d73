import { z } from 'zod'
import {
  hardwareView,
  importTrackers,
  registerTracker,
  unpairTracker,
  watchTracker,
} from '../../../../../app/operator/trackers.ts'
import { hardwareLines } from '../../../../../core/account/hardware-lines.ts'
import { readCsv } from '../../../../../lib/csv.ts'
import { FairTurns } from '../../../../../lib/fair-turns.ts'
import type { HardwareRow } from '../../../../../ports/store.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  importedSchema,
  importQuery,
  trackerCreate,
  trackerMade,
  trackerSchema,
  unpairGiven,
  watchGiven,
} from '../schemas/estate.ts'
import { applicationFor, applicationIdOf, listQuery, noteListLook, pageOf, scopedQueryOf } from '../scope.ts'

const PATH = '/v1/operator/devices'
/** Each code takes about 20 ms of a thread to hash. */
const MAX_LINES = 500
const MAX_FILE_BYTES = 256 * 1024
const MAX_REJECTED = 100

const devicesQuery = listQuery.extend({
  silent: z.enum(['true']).optional().meta({ description: 'Only devices that count as silent' }),
})

/** The registered trackers. protocol.md#operator-api. */
export const trackerRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate, callers } = parts.operator
  const { store } = estate
  // A file takes up to ten seconds of hashing, in which its trackers are held in memory.
  const imports = new FairTurns({ atOnce: 1, maxWaiting: 1 })
  const shown = ({ appId, ...row }: HardwareRow & { readonly appId: string }) => ({
    applicationId: appId,
    userId: row.userId,
    ...hardwareView(row, callers.now()),
  })

  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        PATH,
        {
          // Anyone who knows the code can pair the tracker.
          config: { action: 'device.change' },
          schema: {
            summary: 'Adds a tracker, or gives it a new pairing code and unlocks it',
            body: trackerCreate,
            response: { 200: trackerMade, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { applicationId, ...registration } = request.body
          const application = await applicationFor(store, request, applicationId)
          if (application === null) return refuse(reply, 'application_not_found')
          const made = await registerTracker(estate, application.id, registration, callerOf(request).by())
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
          // A tracker that nobody has raises no alarm.
          config: { action: 'device.change' },
          schema: {
            summary: 'Unpairs a tracker from its user; it stays registered',
            body: unpairGiven,
            response: { 200: trackerSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const unpaired = await unpairTracker(estate, appId, hardwareId, callerOf(request).by())
          return 'refused' in unpaired ? refuse(reply, unpaired.refused) : shown({ appId, ...unpaired })
        },
      )

      scope.post(
        `${PATH}/watch`,
        {
          config: { action: 'device.change' },
          schema: {
            summary: 'Sets after how long without a report a tracker counts as silent',
            body: watchGiven,
            response: { 200: trackerSchema, ...bodyErrors, ...errors(404) },
          },
        },
        async (request, reply) => {
          const { applicationId, ...given } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const watched = await watchTracker(estate, appId, given, callerOf(request).by())
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
            summary: 'Lists the registered trackers and their owners',
            querystring: devicesQuery,
            response: { 200: pageSchema(trackerSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(estate.look, request, query, 'device.view')
          const { inTurn } = callerOf(request)
          return pageOf(
            await inTurn(() => estate.store.hardwarePage({ ...query, onlySilent: request.query.silent === 'true' })),
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
            summary: 'Registers the trackers of a CSV file, all of them or none',
            consumes: ['text/csv'],
            querystring: importQuery,
            body: z.string().meta({ description: 'UTF-8 with the header hardwareId,pairingCode,model' }),
            response: { 200: importedSchema, ...bodyErrors, ...errors(404, 409) },
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
            importTrackers(estate, application.id, read, partial, by()),
          )
          if (registered === null) return refuse(reply, 'too_many_at_once')
          return { registered, rejected }
        },
      )
    },
  })
}
