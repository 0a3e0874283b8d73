import { endTrackerToken, newTrackerToken, trackerDetailView } from '../../../../../app/operator/tracker-tokens.ts'
import { setUpLinks, trackerAddress } from '../../../../../core/field/set-up.ts'
import type { HardwareDetail } from '../../../../../ports/store.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { tokenEnded, tokenGiven, tokenMadeSchema, trackerDetailSchema, trackerQuery } from '../schemas/trackers.ts'
import { applicationIdOf } from '../scope.ts'

const PATH = '/v1/operator/devices'

/**
 * One tracker, and its token. The token is in the body of one answer and nowhere else: a request names the tracker, and
 * an address ends up in logs and histories. protocol.md#operator-api.
 */
export const trackerTokenRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate, callers, publicUrl, trackerMqtt } = parts.operator
  const shown = (tracker: HardwareDetail) => ({
    applicationId: tracker.appId,
    userId: tracker.userId,
    ...trackerDetailView(tracker, callers.now()),
    address: trackerAddress(publicUrl()),
  })

  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        `${PATH}/token`,
        {
          config: { action: 'device.change' },
          schema: {
            summary: 'Gives a paired tracker its own token; the previous one ends',
            body: tokenGiven,
            response: { 201: tokenMadeSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId, externalUserId = null } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const made = await newTrackerToken(estate, { appId, hardwareId, externalUserId }, callerOf(request).by())
          if ('refused' in made) return refuse(reply, made.refused)
          const { token, tracker } = made
          return reply
            .code(201)
            .send({ ...shown(tracker), token, ...setUpLinks(publicUrl(), token, hardwareId, trackerMqtt) })
        },
      )

      scope.post(
        `${PATH}/token/revoke`,
        {
          // Somebody at a screen that was left open could silence a tracker.
          config: { action: 'device.change' },
          schema: {
            summary: 'Revokes the token of a tracker',
            body: tokenEnded,
            response: { 200: trackerDetailSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { applicationId, hardwareId } = request.body
          const appId = applicationIdOf(request, applicationId)
          if (appId === null) return refuse(reply, 'application_not_found')
          const ended = await endTrackerToken(estate, { appId, hardwareId }, callerOf(request).by())
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
            summary: 'One tracker: its owner, when it was last heard from, whether it has a token',
            querystring: trackerQuery,
            response: { 200: trackerDetailSchema, ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.query.app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const tracker = await estate.store.hardwareDetail(appId, request.query.hardwareId)
          if (tracker === null) return refuse(reply, 'hardware_not_found')
          const { actor, address } = callerOf(request)
          const { userId, hardwareId } = tracker
          estate.look({ actor, address, action: 'device.view', appId, userId, subject: hardwareId })
          return shown(tracker)
        },
      )
    },
  })
}
