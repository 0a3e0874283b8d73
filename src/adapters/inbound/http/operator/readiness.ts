import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { userReadinessView } from '../../../../app/ready/readiness-view.ts'
import type { userReadiness } from '../../../../app/ready/user-readiness.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { findingCodes } from '../../../../core/readiness/findings.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { errors } from '../schemas/error.ts'
import { pageSchema } from '../schemas/page.ts'
import { idParams } from '../schemas/params.ts'
import { userReadinessSchema } from '../sdk/readiness.ts'
import { languagesOf } from '../tracking/language.ts'
import { applicationId, exampleList, exampleQuery, userId } from './examples.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf } from './scope.ts'

const unready = {
  userId,
  applicationId,
  externalUserId: 'mia-7',
  name: 'Mia Moser',
  phone: '+436641111111',
  status: 'not_ready',
  findings: [
    {
      code: 'nobody_to_alarm',
      blocking: true,
      text: 'Nobody would be alerted.',
      remedy: 'Add an emergency contact.',
    },
  ],
}

type Needs = OperatorAdmission & {
  readonly readiness: ReturnType<typeof userReadiness>
  readonly noteLook: NoteLook
}

const query = listQuery.extend({
  status: z.enum(['not_ready']).optional().meta({ description: 'Only users whose alarm would reach nobody' }),
  finding: z.enum(findingCodes).optional().meta({ description: 'Only users with this finding' }),
})

/** People who are ready for an emergency, and those who could not be helped today. protocol.md#readiness. */
export const operatorReadinessRoutes = (needs: Needs) => {
  const { readiness, noteLook } = needs
  return family('OPERATOR', needs, {
    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/readiness',
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'listReadiness',
            summary: 'Lists users with what would prevent help',
            description:
              'Users by application and external id, each with what would prevent help. With `status=not_ready` only those whose alarm would reach nobody, with `finding` only those with that finding: such a page may be short, or empty, although `hasMore`.',
            querystring: query,
            response: { 200: pageSchema(userReadinessSchema), ...errors(400, 404) },
            examples: {
              parameters: { ...exampleQuery, status: 'not_ready', finding: 'nobody_to_alarm' },
              answers: { 200: exampleList(unready) },
            },
          },
        },
        async (request, reply) => {
          const scoped = scopedQueryOf(request, request.query)
          if (scoped === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, scoped, 'user.view')
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
            operationId: 'getUserReadiness',
            summary: 'What would prevent help for one user',
            description: 'What would prevent help for one user.',
            params: idParams,
            response: { 200: userReadinessSchema, ...errors(404) },
            examples: { parameters: { id: userId }, answers: { 200: unready } },
          },
        },
        async (request, reply) => {
          const id = request.params.id.toLowerCase()
          const { actor, address, may, inTurn } = callerOf(request)
          const found = isUuid(id) ? await inTurn(() => readiness.ofUser(id)) : null
          if (found === null || !may(found.user.appId)) return refuse(reply, 'user_not_found')
          noteLook({ actor, address, action: 'user.view', appId: found.user.appId, userId: id, subject: null })
          return userReadinessView(found, languagesOf(request.headers['accept-language']))
        },
      )
    },
  })
}
