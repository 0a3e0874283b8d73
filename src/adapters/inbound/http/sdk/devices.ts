import { z } from 'zod'
import type { ownDevices } from '../../../../app/user/own-devices.ts'
import { deviceView } from '../../../../core/account/device.ts'
import { pairingSchema } from '../../../../core/account/pairing-schema.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import { sessionOf } from '../admission/session.ts'
import { tooMany } from '../admission/throttle.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { invalid } from '../problem.ts'
import { type Refusals, secondsUntil } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'

const PATH = '/v1/sdk/devices'

/** protocol.md#devices. */
export const deviceSchema = z
  .object({
    id: z.uuid(),
    hardwareId: z.string().meta({ description: 'The value to send as `deviceId` in ingest payloads' }),
    firmwareVersion: z.string().nullable(),
    hardwareModel: z.string().nullable(),
    pairedAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Device', description: 'The device' })
const newPairingSchema = pairingSchema.meta({ id: 'DevicePairing' })
const devicesSchema = z.array(deviceSchema)
const nothing = z.null()

const refusals = {
  device_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of devices.' },
  device_not_found: { kind: 'NOT_FOUND', message: 'Device not found.' },
  paired_to_another: { kind: 'CONFLICT', message: 'The device is paired with another user.' },
  // A wrong code, unknown hardware and a locked pairing get the same answer on purpose (access.md#pairing).
  pairing_refused: invalid([{ field: 'pairingCode', message: 'is not valid for this hardwareId' }]),
} as const satisfies Refusals

const device = {
  id: '0190a1c8-90d3-7e11-a2b4-7c5d8f9e6a13',
  hardwareId: 'TRK-1042',
  firmwareVersion: '2.4.1',
  hardwareModel: 'Mk 2',
  pairedAt: '2026-06-29T08:15:44.000Z',
  createdAt: '2026-06-29T08:15:44.000Z',
  updatedAt: '2026-06-29T08:15:44.000Z',
}

type Needs = UserAdmission & { readonly ownDevices: ReturnType<typeof ownDevices> }

/** The user's paired trackers. protocol.md#devices, access.md#pairing. */
export const deviceRoutes = (needs: Needs) => {
  const { ownDevices } = needs
  return family('DEVICES', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'listDevices',
            summary: 'Lists the paired devices',
            description: 'The trackers paired with this user.',
            response: { 200: devicesSchema },
            examples: { answers: { 200: [device] } },
          },
        },
        async (request) => (await ownDevices.list(sessionOf(request))).map(deviceView),
      )

      scope.post(
        PATH,
        {
          schema: {
            operationId: 'pairDevice',
            summary: 'Pairs a device (201), or updates one that is already paired (200)',
            description:
              'Pairs a tracker that the operator has registered. 201 when it is newly paired, 200 when it was already paired with this user. A wrong code, an unknown hardware id and a locked tracker all give the same 400. After five wrong codes the tracker is locked for 15 min.',
            body: newPairingSchema,
            response: { 201: deviceSchema, 200: deviceSchema, ...bodyErrors, ...errors(409) },
            examples: {
              body: { pairingCode: '7F3K-92QX', hardwareId: device.hardwareId, firmwareVersion: '2.4.1' },
              answers: { 201: device, 200: device },
            },
          },
        },
        async (request, reply) => {
          const paired = await ownDevices.pair(sessionOf(request), request.body, networkOf(request.ip))
          if ('retryAfterMs' in paired) return tooMany(reply, 'DEVICES', secondsUntil(paired.retryAfterMs))
          if ('refused' in paired) return refuse(reply, paired.refused)
          return reply.code(paired.created ? 201 : 200).send(deviceView(paired.device))
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'unpairDevice',
            summary: 'Removes the pairing',
            description: 'Removes the pairing. The tracker stays registered and can be paired again with its code.',
            params: idParams,
            response: { 204: nothing, ...errors(404) },
            examples: { parameters: { id: device.id } },
          },
        },
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
