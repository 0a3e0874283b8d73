import type { FastifyReply } from 'fastify'
import type { FieldProblem } from '../../../../../core/ingest/field-problem.ts'
import { isUuid } from '../../../../../core/ingest/topic.ts'
import { timerView } from '../../../../../core/timer/timer.ts'
import { timerExtendSchema, timerSetSchema } from '../../../../../core/timer/timer-schema.ts'
import type { HttpParts } from '../../parts.ts'
import { answer, invalid } from '../../problem.ts'
import { timerSchema } from '../../schemas/account.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { idParams } from '../../schemas/params.ts'
import { callerOf } from '../caller.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { runningTimerSchema, timerParams, timersSchema } from '../schemas/timers.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf, userFor } from '../scope.ts'

const OF_USER = '/v1/operator/users/:id/timers'

type Refusal = 'timer_limit' | 'user_not_found' | 'timer_not_found' | 'timer_over'

/** Overdue timers: who is out, and help for users who cannot reach their phone. protocol.md#operator-api. */
export const operatorTimerRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { store, look, timers } = parts.operator.estate

  return operatorFamily(parts, {
    json(scope, refuse) {
      const refused = (reply: FastifyReply, why: Refusal | readonly FieldProblem[]) =>
        typeof why === 'string' ? refuse(reply, why) : answer(reply, 'OPERATOR', invalid(why))

      scope.post(
        OF_USER,
        {
          config: { action: 'timer.set' },
          schema: {
            summary: 'Sets a timer for a user',
            params: idParams,
            body: timerSetSchema,
            response: { 201: timerSchema, 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const set = await timers.set(user, request.body, callerOf(request).by())
          if ('refused' in set) return refused(reply, set.refused)
          return reply.code(set.isNew ? 201 : 200).send(timerView(set.timer))
        },
      )

      scope.patch(
        `${OF_USER}/:timerId`,
        {
          config: { action: 'timer.change' },
          schema: {
            summary: 'Moves a running timer to a later moment',
            params: timerParams,
            body: timerExtendSchema,
            response: { 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { id, timerId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          if (!isUuid(timerId)) return refuse(reply, 'timer_not_found')
          const extended = await timers.extend(user, timerId.toLowerCase(), request.body.dueAt, callerOf(request).by())
          return 'refused' in extended ? refused(reply, extended.refused) : timerView(extended)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/timers',
        {
          config: { action: 'timer.view' },
          schema: {
            summary: 'Lists the running timers, due next first',
            querystring: listQuery,
            response: { 200: pageSchema(runningTimerSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(look, request, query, 'timer.view')
          const { inTurn } = callerOf(request)
          return pageOf(await inTurn(() => store.timerPage(query)), (timer) => ({
            ...timerView(timer),
            applicationId: timer.appId,
            userId: timer.userId,
            externalUserId: timer.externalUserId,
            userName: timer.userName,
          }))
        },
      )

      scope.get(
        OF_USER,
        {
          config: { action: 'timer.view' },
          schema: {
            summary: 'The timers of a user: those that run, then past ones',
            params: idParams,
            response: { 200: timersSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const { actor, address } = callerOf(request)
          look({ actor, address, action: 'timer.view', appId: user.appId, userId: user.id, subject: null })
          return { items: (await store.timers(user.id)).map(timerView) }
        },
      )

      scope.delete(
        `${OF_USER}/:timerId`,
        {
          config: { action: 'timer.change' },
          schema: {
            summary: 'Ends a timer: the user has reported back',
            params: timerParams,
            response: { 200: timerSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { id, timerId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          if (!isUuid(timerId)) return refuse(reply, 'timer_not_found')
          const ended = await timers.end(user, timerId.toLowerCase(), callerOf(request).by())
          if (!('refused' in ended)) return timerView(ended)
          const { refused } = ended
          return typeof refused === 'string' ? refuse(reply, refused) : answer(reply, 'OPERATOR', invalid(refused))
        },
      )
    },
  })
}
