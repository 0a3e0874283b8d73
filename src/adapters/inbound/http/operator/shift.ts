import { z } from 'zod'
import type { OperatorShift } from '../../../../app/operator/shift.ts'
import { shiftNoteField } from '../../../../core/operator/operator-schema.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'

const PATH = '/v1/operator/shift'

const instant = z.iso.datetime()
const named = z.object({ operatorId: z.uuid(), name: z.string() })

export const shiftSchema = z
  .object({
    onShift: z
      .array(named.extend({ seenAt: instant.meta({ description: 'When they last did something, about' }) }))
      .readonly()
      .meta({ description: 'Operators who are signed in and work for an application of the caller' }),
    handOvers: z
      .array(
        z.object({
          from: named,
          to: named,
          offeredAt: instant,
          endsAt: instant.meta({ description: 'Until when it may be accepted' }),
          state: z.enum(['offered', 'accepted', 'declined', 'lapsed']),
          answeredAt: instant.nullable(),
        }),
      )
      .readonly()
      .meta({ description: 'Offers to the caller, and what has come of the caller’s own' }),
    notes: z
      .array(z.object({ by: named, at: instant, text: z.string() }))
      .readonly()
      .meta({ description: 'Notes to the next shift that nobody has confirmed, oldest first' }),
    onCall: z.object({ name: z.string().nullable() }).optional().meta({
      description: 'Who is on duty now if nobody takes an alarm; null: nobody. Absent without an on-call list',
    }),
  })
  .meta({ id: 'Shift', description: 'Who is on shift, and what one shift leaves to the next' })

const offerToSchema = z.object({ to: z.uuid() })
const offerFromSchema = z.object({ from: z.uuid() })
export const handedOverSchema = z.object({
  taken: z.int().meta({ description: 'Incidents that are the caller’s now' }),
  left: z.int().meta({ description: 'Incidents of other applications, which stay with the giver' }),
})
const shiftNoteSchema = z.object({ text: shiftNoteField })
const confirmNoteSchema = z.object({
  by: z.uuid(),
  at: z.iso.datetime({ offset: true }).meta({ description: 'Of the note as it was read: a newer one stays' }),
})

const refusals = {
  offer_over: {
    kind: 'CONFLICT',
    message: 'There is no such offer any more: it was answered, taken back or has lapsed.',
  },
  shift_note_not_found: { kind: 'NOT_FOUND', message: 'There is no such note any more, or it has been changed.' },
  not_on_shift: {
    kind: 'CONFLICT',
    message: 'Only operators who are signed in with their own account, and work for the same application, hand over.',
  },
} as const satisfies Refusals

const eva = { operatorId: '0197f69e-6f00-7a10-9b20-1a2b3c4d5e6f', name: 'Eva Night' }
const ivo = { operatorId: '0197f69e-7a10-7b20-8c30-2b3c4d5e6f70', name: 'Ivo Early' }
const at = '2026-05-01T06:58:00.000Z'

type Needs = OperatorAdmission & { readonly shift: OperatorShift }

const nothing = z.null()
const acted = { 204: nothing, ...bodyErrors, ...errors(404, 409) }

/** Operators on shift, hand-overs and notes to the next shift (access.md#shifts). */
export const operatorShiftRoutes = (needs: Needs) => {
  const { shift } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/hand-over`,
        {
          config: { action: 'shift.hand_over' },
          schema: {
            operationId: 'offerHandOver',
            summary: 'Offers all of one’s incidents to another operator',
            description:
              'Offers all incidents that the caller has to an operator who is on shift. They stay the caller’s until it is accepted; after 5 min the offer lapses. Replaces an earlier offer. 409 `not_on_shift`.',
            body: offerToSchema,
            response: acted,
            examples: { body: { to: ivo.operatorId } },
          },
        },
        async (request, reply) => {
          const done = await shift.offer(callerOf(request), request.body.to)
          return 'refused' in done ? refuse(reply, done.refused) : reply.code(204).send(null)
        },
      )

      for (const [path, action, answer, said, example] of [
        [
          'accept',
          'shift.accept',
          'accepted',
          {
            operationId: 'acceptHandOver',
            summary: 'Accepts an offer: the incidents are the caller’s',
            description:
              'Accepts the offer of an operator: all of theirs that the caller may take is the caller’s now. 409 `offer_over`.',
          },
          { taken: 3, left: 0 },
        ],
        [
          'decline',
          'shift.decline',
          'declined',
          {
            operationId: 'declineHandOver',
            summary: 'Declines an offer: the incidents stay where they are',
            description: 'Declines the offer of an operator, who is told. 409 `offer_over`.',
          },
          { taken: 0, left: 0 },
        ],
      ] as const) {
        scope.post(
          `${PATH}/hand-over/${path}`,
          {
            config: { action },
            schema: {
              ...said,
              body: offerFromSchema,
              response: { 200: handedOverSchema, ...bodyErrors, ...errors(409) },
              examples: { body: { from: eva.operatorId }, answers: { 200: example } },
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
          schema: {
            operationId: 'leaveShiftNote',
            summary: 'Leaves a note to the next shift',
            description:
              'Leaves a note to the next shift, on the board of everyone who may see what the caller may, until one of them confirms it, for 7 days at most. One for each operator: a new one replaces it. 409 `not_on_shift`.',
            body: shiftNoteSchema,
            response: acted,
            examples: { body: { text: 'The generator of the Alpine hut is off until noon.' } },
          },
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
          schema: {
            operationId: 'confirmShiftNote',
            summary: 'Confirms a note of another shift: it goes',
            description: 'Confirms a note of another shift, or takes the caller’s own back: it goes.',
            body: confirmNoteSchema,
            response: acted,
            examples: { body: { by: eva.operatorId, at } },
          },
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
            operationId: 'getShift',
            summary: 'Who is on shift, offers to hand over, and notes to the next shift',
            description:
              'Who is signed in and may take an alarm, offers to the caller and what has come of the caller’s own, and notes to the next shift about what the caller may see.',
            response: { 200: shiftSchema },
            examples: {
              answers: {
                200: {
                  onShift: [
                    { ...eva, seenAt: at },
                    { ...ivo, seenAt: at },
                  ],
                  handOvers: [
                    {
                      from: eva,
                      to: ivo,
                      offeredAt: at,
                      endsAt: '2026-05-01T07:03:00.000Z',
                      state: 'offered',
                      answeredAt: null,
                    },
                  ],
                  notes: [{ by: eva, at, text: 'The generator of the Alpine hut is off until noon.' }],
                },
              },
            },
          },
        },
        async (request) => shift.view(callerOf(request)),
      )

      scope.delete(
        `${PATH}/hand-over`,
        {
          config: { action: 'shift.withdraw' },
          schema: {
            operationId: 'withdrawHandOver',
            summary: 'Takes the caller’s offer back, or puts away what has come of it',
            description:
              'Takes the caller’s offer back; once it was answered or has lapsed, puts that away. 409 `offer_over`.',
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
