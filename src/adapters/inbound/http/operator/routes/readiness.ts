import { z } from 'zod'
import { userReadinessView } from '../../../../../app/ready/readiness-view.ts'
import { findingCodes } from '../../../../../core/account/readiness-findings.ts'
import { isUuid } from '../../../../../core/ingest/topic.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { idParams } from '../../schemas/params.ts'
import { userReadinessSchema } from '../../sdk/readiness.ts'
import { languagesOf } from '../../tracking/language.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf } from '../scope.ts'

const query = listQuery.extend({
  status: z.enum(['not_ready']).optional().meta({ description: 'Only users whose alarm would reach nobody' }),
  finding: z.enum(findingCodes).optional().meta({ description: 'Only users with this finding' }),
})

/** Who is ready for an emergency, and who could not be helped today. protocol.md#readiness. */
export const readinessRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { readiness, look } = parts.operator.estate
  return operatorFamily(parts, {
    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/readiness',
        {
          config: { action: 'user.view' },
          schema: {
            summary: 'Lists users with what would prevent help',
            querystring: query,
            response: { 200: pageSchema(userReadinessSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const scoped = scopedQueryOf(request, request.query)
          if (scoped === null) return refuse(reply, 'application_not_found')
          noteListLook(look, request, scoped, 'user.view')
          const { inTurn } = callerOf(request)
          const languages = languagesOf(request.headers['accept-language'])
          const { status, finding = null } = request.query
          return pageOf(await inTurn(() => readiness.page(scoped, status === 'not_ready', finding)), (one) =>
            userReadinessView(one, languages),
          )
        },
      )

      scope.get(
        '/v1/operator/users/:id/readiness',
        {
          config: { action: 'user.view' },
          schema: {
            summary: 'What would prevent help for one user',
            params: idParams,
            response: { 200: userReadinessSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const id = request.params.id.toLowerCase()
          const { actor, address, may, inTurn } = callerOf(request)
          const found = isUuid(id) ? await inTurn(() => readiness.ofUser(id)) : null
          if (found === null || !may(found.user.appId)) return refuse(reply, 'user_not_found')
          look({ actor, address, action: 'user.view', appId: found.user.appId, userId: id, subject: null })
          return userReadinessView(found, languagesOf(request.headers['accept-language']))
        },
      )
    },
  })
}
