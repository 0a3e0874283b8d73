import { z } from 'zod'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  confirmNoteSchema,
  handedOverSchema,
  offerFromSchema,
  offerToSchema,
  shiftNoteSchema,
  shiftSchema,
} from '../schemas/shift.ts'

const PATH = '/v1/operator/shift'
const nothing = z.null()
const acted = { 204: nothing, ...bodyErrors, ...errors(404, 409) }

/** Who is on shift, hand-overs and notes to the next shift (rules.md#shifts). */
export const shiftRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { shift } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        `${PATH}/hand-over`,
        {
          config: { action: 'shift.hand_over' },
          schema: {
            summary: 'Offers all of one’s incidents to another operator',
            body: offerToSchema,
            response: acted,
          },
        },
        async (request, reply) => {
          const done = await shift.offer(callerOf(request), request.body.to)
          return 'refused' in done ? refuse(reply, done.refused) : reply.code(204).send(null)
        },
      )

      for (const [path, action, answer, summary] of [
        ['accept', 'shift.accept', 'accepted', 'Accepts an offer: the incidents are the caller’s'],
        ['decline', 'shift.decline', 'declined', 'Declines an offer: the incidents stay where they are'],
      ] as const) {
        scope.post(
          `${PATH}/hand-over/${path}`,
          {
            config: { action },
            schema: {
              summary,
              body: offerFromSchema,
              response: { 200: handedOverSchema, ...bodyErrors, ...errors(409) },
            },
          },
          async (request, reply) => {
            const caller = callerOf(request)
            const done = await caller.inTurn(() => shift.answer(caller, request.body.from, answer))
            return 'refused' in done ? refuse(reply, done.refused) : done
          },
        )
      }

      scope.post(
        `${PATH}/note`,
        {
          config: { action: 'shift.note' },
          schema: { summary: 'Leaves a note to the next shift', body: shiftNoteSchema, response: acted },
        },
        async (request, reply) => {
          const done = await shift.keepNote(callerOf(request), request.body.text)
          return 'refused' in done ? refuse(reply, done.refused) : reply.code(204).send(null)
        },
      )

      scope.post(
        `${PATH}/note/confirm`,
        {
          config: { action: 'shift.confirm' },
          schema: { summary: 'Confirms a note of another shift: it goes', body: confirmNoteSchema, response: acted },
        },
        async (request, reply) => {
          const { by, at } = request.body
          const done = await shift.confirmNote(callerOf(request), { operatorId: by, at: Date.parse(at) })
          return 'refused' in done ? refuse(reply, done.refused) : reply.code(204).send(null)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'shift.view' },
          schema: {
            summary: 'Who is on shift, offers to hand over, and notes to the next shift',
            response: { 200: shiftSchema },
          },
        },
        async (request) => shift.view(callerOf(request)),
      )

      scope.delete(
        `${PATH}/hand-over`,
        {
          config: { action: 'shift.withdraw' },
          schema: {
            summary: 'Takes the caller’s offer back, or puts away what has come of it',
            response: { 204: nothing, ...errors(409) },
          },
        },
        async (request, reply) => {
          const done = await shift.withdraw(callerOf(request))
          return 'refused' in done ? refuse(reply, done.refused) : reply.code(204).send(null)
        },
      )
    },
  })
}
