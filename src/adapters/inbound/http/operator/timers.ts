import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import type { operatorTimers } from '../../../../app/operator/timers.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { timerView } from '../../../../core/timer/timer.ts'
import { timerExtendSchema, timerSetSchema } from '../../../../core/timer/timer-schema.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { pageSchema } from '../schemas/page.ts'
import { idParams } from '../schemas/params.ts'
import { timerSchema } from '../sdk/timers.ts'
import { applicationId, exampleList, exampleQuery, exampleTime, userId } from './examples.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf, userFor } from './scope.ts'

const OF_USER = '/v1/operator/users/:id/timers'

const timerParams = idParams.extend({ timerId: z.string().meta({ format: 'uuid' }) })
export const timersSchema = z.object({ items: z.array(timerSchema) })
const runningTimerSchema = timerSchema
  .extend({
    applicationId: z.uuid(),
    userId: z.uuid(),
    externalUserId: z.string(),
    userName: z.string().nullable(),
  })
  .meta({ id: 'OperatorTimer', description: 'A running timer with its owner' })

const refusals = {
  timer_not_found: { kind: 'NOT_FOUND', message: 'This user has no such timer.' },
  timer_over: {
    kind: 'CONFLICT',
    message: 'The timer has ended, or has run out and raised an SOS. Then resolve the SOS.',
  },
  timer_limit: { kind: 'LIMIT', message: 'This user already has the maximum number of running timers. End one first.' },
} as const satisfies Refusals

const timer = {
  id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0f',
  status: 'running',
  dueAt: exampleTime,
  note: 'Glungezer, by the ridge',
  position: null,
  overAt: null,
  incidentId: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
}
const ofUser = { id: userId }
const ofTimer = { id: userId, timerId: timer.id }

type Needs = OperatorAdmission & {
  readonly store: Pick<Store, 'user' | 'timers' | 'timerPage'>
  readonly noteLook: NoteLook
  readonly timers: ReturnType<typeof operatorTimers>
}

/** Overdue timers: who is out, and help for users who cannot reach their phone. protocol.md#operator-api. */
export const operatorTimerRoutes = (needs: Needs) => {
  const { store, noteLook, timers } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        OF_USER,
        {
          config: { action: 'timer.set' },
          schema: {
            operationId: 'setTimerOfUser',
            summary: 'Sets a timer for a user',
            description:
              'Sets an overdue timer for a user. 201 when it is new; 200 with the timer that already runs for that moment. 409 when the user already has 5 running timers.',
            params: idParams,
            body: timerSetSchema,
            response: { 201: timerSchema, 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: ofUser,
              body: { dueAt: exampleTime, note: timer.note },
              answers: { 201: timer, 200: timer },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const set = await timers.set(user, request.body, callerOf(request).by())
          if ('refused' in set) return refuse(reply, set.refused)
          return reply.code(set.isNew ? 201 : 200).send(timerView(set.timer))
        },
      )

      scope.patch(
        `${OF_USER}/:timerId`,
        {
          config: { action: 'timer.change' },
          schema: {
            operationId: 'extendTimerOfUser',
            summary: 'Moves a running timer to a later moment',
            description:
              'Moves a running timer to a later `dueAt`; an earlier one changes nothing. 409 when the timer is over.',
            params: timerParams,
            body: timerExtendSchema,
            response: { 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
            examples: { parameters: ofTimer, body: { dueAt: exampleTime }, answers: { 200: timer } },
          },
        },
        async (request, reply) => {
          const { id, timerId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          if (!isUuid(timerId)) return refuse(reply, 'timer_not_found')
          const extended = await timers.extend(user, timerId.toLowerCase(), request.body.dueAt, callerOf(request).by())
          return 'refused' in extended ? refuse(reply, extended.refused) : timerView(extended)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/timers',
        {
          config: { action: 'timer.view' },
          schema: {
            operationId: 'listRunningTimers',
            summary: 'Lists the running timers, due next first',
            description:
              'Running overdue timers, due next first; `text` looks in external id, name and note. A page that had to look through very many may be short, or empty, although `hasMore`.',
            querystring: listQuery,
            response: { 200: pageSchema(runningTimerSchema), ...errors(400, 404) },
            examples: {
              parameters: exampleQuery,
              answers: {
                200: exampleList({ ...timer, applicationId, userId, externalUserId: 'mia-7', userName: 'Mia Moser' }),
              },
            },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, query, 'timer.view')
          const { inTurn } = callerOf(request)
          return pageOf(await inTurn(() => store.timerPage(query)), (running) => ({
            ...timerView(running),
            applicationId: running.appId,
            userId: running.userId,
            externalUserId: running.externalUserId,
            userName: running.userName,
          }))
        },
      )

      scope.get(
        OF_USER,
        {
          config: { action: 'timer.view' },
          schema: {
            operationId: 'listTimersOfUser',
            summary: 'The timers of a user: those that run, then past ones',
            description:
              'The timers of a user: those that run, the one due next first, then those that are over and still kept.',
            params: idParams,
            response: { 200: timersSchema, ...errors(404) },
            examples: { parameters: ofUser, answers: { 200: { items: [timer] } } },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const { actor, address } = callerOf(request)
          noteLook({ actor, address, action: 'timer.view', appId: user.appId, userId: user.id, subject: null })
          return { items: (await store.timers(user.id)).map(timerView) }
        },
      )

      scope.delete(
        `${OF_USER}/:timerId`,
        {
          config: { action: 'timer.change' },
          schema: {
            operationId: 'endTimerOfUser',
            summary: 'Ends a timer: the user has reported back',
            description:
              'The user has reported back. Ending a timer twice succeeds. 409 when it has already raised an SOS: then resolve that.',
            params: timerParams,
            response: { 200: timerSchema, ...errors(404, 409) },
            examples: { parameters: ofTimer, answers: { 200: { ...timer, status: 'ended', overAt: exampleTime } } },
          },
        },
        async (request, reply) => {
          const { id, timerId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          if (!isUuid(timerId)) return refuse(reply, 'timer_not_found')
          const ended = await timers.end(user, timerId.toLowerCase(), callerOf(request).by())
          return 'refused' in ended ? refuse(reply, ended.refused) : timerView(ended)
        },
      )
    },
  })
}
