import { z } from 'zod'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { timerView } from '../../../../core/timer/timer.ts'
import { timerExtendSchema, timerSetSchema } from '../../../../core/timer/timer-schema.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { timerSchema } from '../schemas/account.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { sessionOf } from '../sdk-session.ts'

const PATH = '/v1/sdk/timers'

const timersSchema = z.array(timerSchema)

/** The user's overdue timers. protocol.md#timers. */
export const timerRoutes = (parts: HttpParts) => {
  const { ownTimers } = parts
  return family('TIMERS', parts, {
    json(scope, refuse) {
      scope.get(
        PATH,
        { schema: { summary: 'Lists the timers: those that run, then past ones', response: { 200: timersSchema } } },
        async (request) => (await ownTimers.list(sessionOf(request))).map(timerView),
      )

      scope.post(
        PATH,
        {
          schema: {
            summary: 'Sets a timer that raises an SOS if the user does not report back',
            body: timerSetSchema,
            response: { 201: timerSchema, 200: timerSchema, ...bodyErrors, ...errors(409) },
          },
        },
        async (request, reply) => {
          const set = await ownTimers.set(sessionOf(request), request.body)
          if ('refused' in set) return refuse(reply, set.refused)
          return reply.code(set.isNew ? 201 : 200).send(timerView(set.timer))
        },
      )

      scope.patch(
        `${PATH}/:id`,
        {
          // A user who cannot report back in time raises an alarm: this must not wait.
          config: { unlimited: true },
          schema: {
            summary: 'Extends a running timer to a later moment',
            params: idParams,
            body: timerExtendSchema,
            response: { 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
          },
          // Before the body is looked at: no body makes such an id exist.
          preValidation: async ({ params }, reply) =>
            isUuid(params.id) ? undefined : refuse(reply, 'timer_not_found'),
        },
        async (request, reply) => {
          const { id } = request.params
          const extended = await ownTimers.extend(sessionOf(request), id.toLowerCase(), request.body.dueAt)
          return 'refused' in extended ? refuse(reply, extended.refused) : timerView(extended)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        `${PATH}/:id`,
        {
          config: { unlimited: true },
          schema: {
            summary: 'Ends a timer: the user has reported back',
            params: idParams,
            response: { 200: timerSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'timer_not_found')
          const ended = await ownTimers.end(sessionOf(request), id.toLowerCase())
          return 'refused' in ended ? refuse(reply, ended.refused) : timerView(ended)
        },
      )
    },
  })
}
