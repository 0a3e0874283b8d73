import { DRILL_COUNTS_MS } from '../../../../../core/readiness/findings.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  drillEndSchema,
  drillListSchema,
  drillQuery,
  drillReportSchema,
  drillStartSchema,
  drillsEndedSchema,
  drillsStartedSchema,
} from '../schemas/drills.ts'
import { applicationIdOf } from '../scope.ts'

const PATH = '/v1/operator/drills'

/** Exercises: started, ended, and how they went. protocol.md#operator-api. */
export const drillRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { drills, noteLook } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'drill.start' },
          schema: {
            summary: 'Starts an exercise for one user or for all of an application',
            body: drillStartSchema,
            response: { 201: drillsStartedSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { app, user = null, contacts } = request.body
          const appId = applicationIdOf(request, app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const caller = callerOf(request)
          const started = await caller.inTurn(() =>
            drills.start(appId, { externalUserId: user, toContacts: contacts }, caller.by()),
          )
          return 'refused' in started ? refuse(reply, started.refused) : reply.code(201).send(started)
        },
      )

      scope.post(
        `${PATH}/end`,
        {
          config: { action: 'drill.end' },
          schema: {
            summary: 'Ends the open exercises of an application, or of one of its users',
            body: drillEndSchema,
            response: { 200: drillsEndedSchema, ...bodyErrors, ...errors(404) },
          },
        },
        async (request, reply) => {
          const { app, user = null } = request.body
          const appId = applicationIdOf(request, app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const caller = callerOf(request)
          return { ended: await caller.inTurn(() => drills.end(appId, user, caller.by())) }
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'drill.view' },
          schema: {
            summary: 'How the exercises of an application went, newest first',
            querystring: drillQuery,
            response: { 200: drillListSchema, ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.query.app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const { actor, address, by, inTurn } = callerOf(request)
          noteLook({ actor, address, action: 'drill.view', appId, userId: null, subject: null })
          const { user, since = by().now - DRILL_COUNTS_MS, limit } = request.query
          const items = await inTurn(() =>
            user === undefined ? drills.reports(appId, since, limit) : drills.userReports(appId, user, since, limit),
          )
          return items === null ? refuse(reply, 'user_not_found') : { items }
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'drill.view' },
          schema: {
            summary: 'How one exercise went',
            params: idParams,
            response: { 200: drillReportSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const { actor, address, may, inTurn } = callerOf(request)
          const report = await inTurn(() => drills.report(request.params.id.toLowerCase()))
          if (report === null || !may(report.applicationId)) return refuse(reply, 'drill_not_found')
          const { applicationId: appId, userId, incidentId: subject } = report
          noteLook({ actor, address, action: 'drill.view', appId, userId, subject })
          return report
        },
      )
    },
  })
}
