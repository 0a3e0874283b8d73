import { z } from 'zod'
import type { ownTimers } from '../../../../app/user/own-timers.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { timerView } from '../../../../core/timer/timer.ts'
import { timerExtendSchema, timerSetSchema } from '../../../../core/timer/timer-schema.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'

const PATH = '/v1/sdk/timers'

/** protocol.md#timers. */
export const timerSchema = z
  .object({
    id: z.uuid(),
    status: z.enum(['running', 'ended', 'raised']),
    dueAt: z.iso.datetime(),
    note: z.string().nullable(),
    position: z
      .object({
        latitude: z.number(),
        longitude: z.number(),
        altitude: z.number().nullable(),
        accuracy: z.number().optional(),
        at: z.iso.datetime(),
      })
      .nullable(),
    overAt: z.iso.datetime().nullable().meta({ description: 'When it ended or raised an SOS' }),
    incidentId: z.uuid().nullable().meta({ description: 'The SOS that it raised' }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Timer', description: 'The timer' })

const newTimerSchema = timerSetSchema.meta({ id: 'NewTimer' })
const extensionSchema = timerExtendSchema.meta({ id: 'TimerExtension' })
const timersSchema = z.array(timerSchema)

const refusals = {
  timer_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of running timers.' },
  timer_not_found: { kind: 'NOT_FOUND', message: 'Timer not found.' },
  timer_over: { kind: 'CONFLICT', message: 'The timer has ended, or has run out and raised an SOS: then end that.' },
} as const satisfies Refusals

const newTimer = {
  dueAt: '2026-03-01T17:00:00Z',
  note: 'Over the Glungezer to the Patscherkofel, ice on the north side',
  position: { latitude: 47.2692, longitude: 11.4041 },
}
const timer = {
  id: '0195524e-7a3c-7d1e-8f00-5a1f2f3b4c5d',
  status: 'running',
  dueAt: '2026-03-01T17:00:00.000Z',
  note: newTimer.note,
  position: { ...newTimer.position, altitude: null, at: '2026-03-01T09:10:00.000Z' },
  overAt: null,
  incidentId: null,
  createdAt: '2026-03-01T09:10:00.000Z',
  updatedAt: '2026-03-01T09:10:00.000Z',
}

type Needs = UserAdmission & { readonly ownTimers: ReturnType<typeof ownTimers> }

/** The user's overdue timers. protocol.md#timers. */
export const timerRoutes = (needs: Needs) => {
  const { ownTimers } = needs
  return family('TIMERS', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'listTimers',
            summary: 'Lists the timers: those that run, then past ones',
            description: 'The timers that run, the one due next first, then those that are over and still kept.',
            response: { 200: timersSchema },
            examples: { answers: { 200: [timer] } },
          },
        },
        async (request) => {
          const session = sessionOf(request)
          const timers = (await ownTimers.list(session)).map(timerView)
          // Somebody may have added this phone who had the person's for a minute.
          return session.appDeviceId === undefined ? timers : timers.map((timer) => ({ ...timer, position: null }))
        },
      )

      scope.post(
        PATH,
        {
          schema: {
            operationId: 'setTimer',
            summary: 'Sets a timer that raises an SOS if the user does not report back',
            description:
              'Sets an overdue timer: unless it is ended or extended, an SOS is raised 5 min after `dueAt`, which the contacts get with the note and the position. 15 min before `dueAt` the user is reminded. 201 when it is new; 200 with the timer that already runs for that moment, so a retry sets no second one. 409 when the user already has 5 running timers.',
            body: newTimerSchema,
            response: { 201: timerSchema, 200: timerSchema, ...bodyErrors, ...errors(409) },
            examples: { body: newTimer, answers: { 201: timer, 200: timer } },
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
            operationId: 'extendTimer',
            summary: 'Extends a running timer to a later moment',
            description:
              'Moves a running timer to a later `dueAt`; an earlier one changes nothing. 409 when the timer is over. Never rate limited.',
            params: idParams,
            body: extensionSchema,
            response: { 200: timerSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: timer.id },
              body: { dueAt: '2026-03-01T18:00:00Z' },
              answers: { 200: { ...timer, dueAt: '2026-03-01T18:00:00.000Z' } },
            },
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
            operationId: 'endTimer',
            summary: 'Ends a timer: the user has reported back',
            description:
              'The user has reported back. Ending a timer twice succeeds. 409 when it has already raised an SOS: then cancel or resolve that. Never rate limited.',
            params: idParams,
            response: { 200: timerSchema, ...errors(404, 409) },
            examples: {
              parameters: { id: timer.id },
              answers: { 200: { ...timer, status: 'ended', overAt: '2026-03-01T15:40:00.000Z' } },
            },
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
