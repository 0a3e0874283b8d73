import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { applicationView, withoutTargets } from '../../../../../app/operator/application-view.ts'
import {
  addSecret,
  createApplication,
  retireSecret,
  updateApplication,
} from '../../../../../app/operator/applications.ts'
import type { Application } from '../../../../../core/account/application.ts'
import { mayDo } from '../../../../../core/operator/role.ts'
import { type Caller, callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  applicationCreate,
  applicationSchema,
  applicationUpdate,
  createdSchema,
  secretSchema,
} from '../schemas/estate.ts'
import { applicationIdOf, asGiven } from '../scope.ts'

const PATH = '/v1/operator/applications'
const listSchema = z.object({ items: z.array(applicationSchema) })

type Parts = Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }

/** The application of a route, if the caller may do there what the route does. */
export const applicationFor = async (
  { operator: { estate } }: Parts,
  request: Pick<FastifyRequest, 'getDecorator'>,
  id: string,
): Promise<Application | null> => {
  const appId = applicationIdOf(request, id)
  return appId === null ? null : estate.store.application(appId)
}

/** An application as the API shows it to this caller: never a secret. */
export function shownApplication(
  application: Application,
  { operator: { estate } }: Parts,
  { grant }: Pick<Caller, 'grant'>,
) {
  const { appId, actuators, ...view } = applicationView(application, estate.defaults)
  const mayChange = mayDo(grant, 'actuator.change', appId)
  return { applicationId: appId, ...view, actuators: mayChange ? actuators : withoutTargets(actuators) }
}

/** Applications and their secrets. protocol.md#operator-api. */
export const applicationRoutes = (parts: Parts) => {
  const { estate } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'application.create' },
          schema: {
            summary: 'Adds an application',
            body: applicationCreate,
            response: { 201: createdSchema, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const { application, secret } = await createApplication(estate, request.body, callerOf(request).by())
          return reply.code(201).send({ ...shownApplication(application, parts, callerOf(request)), secret })
        },
      )

      scope.patch(
        `${PATH}/:id`,
        {
          config: { action: 'application.change' },
          schema: {
            summary: 'Changes an application',
            params: idParams,
            body: applicationUpdate,
            response: { 200: applicationSchema, ...bodyErrors, ...errors(404) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const { corsOrigins, ...body } = asGiven(request.body)
          const update = { ...body, ...(corsOrigins && { corsOrigins: [...new Set(corsOrigins)] }) }
          const updated = await updateApplication(estate, appId, update, callerOf(request).by())
          if ('refused' in updated) return refuse(reply, updated.refused)
          return shownApplication(updated, parts, callerOf(request))
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'application.view' },
          schema: { summary: 'Lists the applications', response: { 200: listSchema } },
        },
        async (request) => {
          const caller = callerOf(request)
          const all = await caller.inTurn(() => estate.store.applications())
          return { items: all.filter(({ id }) => caller.may(id)).map((one) => shownApplication(one, parts, caller)) }
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'application.view' },
          schema: {
            summary: 'One application',
            params: idParams,
            response: { 200: applicationSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          return application === null
            ? refuse(reply, 'application_not_found')
            : shownApplication(application, parts, callerOf(request))
        },
      )

      scope.post(
        `${PATH}/:id/secrets`,
        {
          config: { action: 'application.secret' },
          schema: {
            summary: 'Adds a second valid secret',
            params: idParams,
            response: { 201: secretSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const added = await addSecret(estate, appId, callerOf(request).by())
          if ('refused' in added) return refuse(reply, added.refused)
          return reply.code(201).send({ applicationId: appId, secret: added.secret })
        },
      )

      scope.delete(
        `${PATH}/:id/secrets/older`,
        {
          config: { action: 'application.secret' },
          schema: {
            summary: 'Retires the older of two secrets',
            params: idParams,
            response: { 204: z.null(), ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const retired = await retireSecret(estate, appId, callerOf(request).by())
          if ('refused' in retired) return refuse(reply, retired.refused)
          estate.endSessions(appId)
          return reply.code(204).send(null)
        },
      )
    },
  })
}
