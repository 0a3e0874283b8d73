import { removeActuator, setActuator } from '../../../../../app/operator/actuators.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { actuatorParams, actuatorSet, applicationSchema, testedSchema, testGiven } from '../schemas/estate.ts'
import { applicationIdOf, asGiven } from '../scope.ts'
import { applicationFor, shownApplication } from './applications.ts'

const PATH = '/v1/operator/applications/:id'

/** How an application raises alarms, and a test of each way. protocol.md#operator-api. */
export const actuatorRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.put(
        `${PATH}/actuators/:type`,
        {
          config: { action: 'actuator.change' },
          schema: {
            summary: 'Adds an actuator, or changes the given fields of one',
            params: actuatorParams,
            body: actuatorSet,
            response: { 200: applicationSchema, ...bodyErrors, ...errors(404) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { settings = {}, ...target } = request.body
          const { type } = request.params
          const changed = await setActuator(
            estate,
            application,
            type,
            { target, settings: asGiven(settings) },
            callerOf(request).by(),
          )
          if (!('refused' in changed)) return shownApplication(changed, parts, callerOf(request))
          if (changed.refused !== 'invalid_target') return refuse(reply, changed.refused)
          const { path, message } = changed.issue
          return refuse(reply, changed.refused, { fields: [{ field: path.join('.') || 'body', message }] })
        },
      )

      scope.post(
        `${PATH}/test`,
        {
          config: { action: 'actuator.test' },
          schema: {
            summary: 'Sends a message that says it is a test',
            params: idParams,
            body: testGiven,
            response: { 200: testedSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const tested = await estate.sendTest(application, asGiven(request.body), callerOf(request).by())
          if (!('refused' in tested)) return tested
          if (!('retryAfterMs' in tested)) return refuse(reply, tested.refused)
          const seconds = Math.ceil(tested.retryAfterMs / SECOND)
          return refuse(reply, tested.refused, { headers: { 'retry-after': `${seconds}` } })
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        `${PATH}/actuators/:type`,
        {
          config: { action: 'actuator.change' },
          schema: {
            summary: 'Removes an actuator',
            params: actuatorParams,
            response: { 200: applicationSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const changed = await removeActuator(estate, appId, request.params.type, callerOf(request).by())
          return 'refused' in changed
            ? refuse(reply, changed.refused)
            : shownApplication(changed, parts, callerOf(request))
        },
      )
    },
  })
}
