import { z } from 'zod'
import { deviceView } from '../../../../core/account/device.ts'
import { pairingSchema } from '../../../../core/account/pairing-schema.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import { sessionOf } from '../admission/session.ts'
import { tooMany } from '../admission/throttle.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { deviceSchema } from '../schemas/device.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'

const PATH = '/v1/sdk/devices'

const devicesSchema = z.array(deviceSchema)
const nothing = z.null()

/** The user's paired trackers. protocol.md#devices, rules.md#pairing. */
export const deviceRoutes = (parts: HttpParts) => {
  const { ownDevices } = parts
  return family('DEVICES', parts, {
    json(scope, refuse) {
      scope.get(
        PATH,
        { schema: { summary: 'Lists the paired devices', response: { 200: devicesSchema } } },
        async (request) => (await ownDevices.list(sessionOf(request))).map(deviceView),
      )

      scope.post(
        PATH,
        {
          schema: {
            summary: 'Pairs a device (201), or updates one that is already paired (200)',
            body: pairingSchema,
            response: { 201: deviceSchema, 200: deviceSchema, ...bodyErrors, ...errors(409) },
          },
        },
        async (request, reply) => {
          const paired = await ownDevices.pair(sessionOf(request), request.body, networkOf(request.ip))
          if ('retryAfterMs' in paired) {
            return tooMany(reply, 'DEVICES', Math.max(1, Math.ceil(paired.retryAfterMs / SECOND)))
          }
          if ('refused' in paired) return refuse(reply, paired.refused)
          return reply.code(paired.created ? 201 : 200).send(deviceView(paired.device))
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        `${PATH}/:id`,
        { schema: { summary: 'Removes the pairing', params: idParams, response: { 204: nothing, ...errors(404) } } },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'device_not_found')
          const removed = await ownDevices.remove(sessionOf(request), id.toLowerCase())
          return 'refused' in removed ? refuse(reply, removed.refused) : reply.code(204).send(null)
        },
      )
    },
  })
}
