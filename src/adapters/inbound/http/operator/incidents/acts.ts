import { z } from 'zod'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { talkKeyField } from '../../../../../core/incident/talk-schema.ts'
import { endRemarkFields, noteField } from '../../../../../core/operator/operator-schema.ts'
import type { Action } from '../../../../../core/operator/role.ts'
import type { Caller } from '../../admission/caller.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { objectOrNothing } from '../../bodies/validation.ts'
import { family } from '../../family.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { momentField } from './board.ts'
import {
  answerCase,
  type CaseAnswer,
  caseSchema,
  exampleCase,
  exampleContactId,
  idSchema,
  inTurn,
  PATH,
  pressesQuerySchema,
} from './case.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { exampleIncidentId } from './item.ts'

const ONE = `${PATH}/:id`
export const CONFLICT =
  'Answers with the incident as it is now; 409 if someone else was first or it is too late, with the incident in the error.'

const contactOfIncidentSchema = z.object({ id: z.uuid(), contactId: z.uuid() })
const writtenAt = momentField('When it was written, if it had to wait for a connection; at most 24 h ago')
const noteSchema = z.object({
  id: talkKeyField.optional().meta({ description: 'The sender’s own name for it: sent again, it is one note' }),
  text: noteField,
  writtenAt,
})
const calledBackSchema = z.object({ contactId: z.uuid().nullable(), writtenAt })
/** Null and absent are the same: nothing is said. */
const resolveSchema = z.object({
  presses: z.int().min(0).nullish().meta({ description: 'As in the query; of two the smaller one counts' }),
  outcome: endRemarkFields.outcome.nullish(),
  note: endRemarkFields.note.nullish().meta({ description: 'One sentence on how it turned out' }),
})
const takeOverSchema = z.object({
  from: z.uuid().nullable().meta({ description: '`operatorId` of the item’s `takenBy`: where it has changed, 409' }),
})
const resendSchema = z.object({ contactId: z.uuid() })

const exampleOne = { parameters: { id: exampleIncidentId }, answers: { 200: exampleCase } }

type Said<B extends z.ZodType> = {
  readonly action: Action
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly body: B
  readonly example: z.input<B>
}

type Needs = OperatorAdmission & { readonly incidents: ReturnType<typeof operatorIncidents> }

/** Actions of operators on an incident. Each answers with the incident as it is then (access.md#operators). */
export const operatorActRoutes = (needs: Needs) => {
  const { incidents } = needs
  return family('OPERATOR', needs, {
    refusals: incidentRefusals,

    json(scope, refuse) {
      /** A route by which an operator acts on one incident. */
      const says = <B extends z.ZodType>(
        path: string,
        { action, body, example, ...said }: Said<B>,
        act: (by: Caller, id: string, given: z.output<B>) => Promise<CaseAnswer>,
      ) =>
        scope.post(
          `${ONE}/${path}`,
          {
            config: { action },
            schema: {
              ...said,
              params: idSchema,
              body,
              response: { 200: caseSchema, ...bodyErrors, ...errors(404, 409) },
              examples: { ...exampleOne, body: example },
            },
          },
          async (request, reply) =>
            answerCase(
              reply,
              refuse,
              await inTurn(request, (by) => act(by, request.params.id, request.body as z.output<B>)),
            ),
        )

      says(
        'notes',
        {
          action: 'incident.note',
          operationId: 'addIncidentNote',
          summary: 'Adds a note',
          description:
            'Adds a note of up to 2,000 characters. An incident holds 500; they are kept as long as it is. One whose answer was lost is sent again with the same `id`.',
          body: noteSchema,
          example: { text: 'Helicopter on its way, ETA 20 min.', writtenAt: '2026-05-01T14:12:00Z' },
        },
        (by, id, { text, writtenAt: written, id: key }) => incidents.addNote(by, id, text, { written, key }),
      )

      says(
        'called-back',
        {
          action: 'incident.called_back',
          operationId: 'tickCalledBack',
          summary: 'Notes who was called back after the end',
          description:
            'Notes that someone was called back after the end: a contact, or with null the person. The first note stays. 409 while it is open.',
          body: calledBackSchema,
          example: { contactId: null, writtenAt: '2026-05-01T16:12:00Z' },
        },
        (by, id, { contactId, writtenAt }) => incidents.tickCalledBack(by, id, contactId, writtenAt),
      )

      says(
        'take-over',
        {
          action: 'incident.take_over',
          operationId: 'takeIncidentOver',
          summary: 'Takes an incident over from the operator who has it',
          description: `Takes it over at once from the operator who has it (\`takenBy\` of the item), whose console says so. It answers no alarm: what runs goes on. 409 \`taken_by_another\` if somebody else has it by now, \`not_taken\` if nobody has. ${CONFLICT}`,
          body: takeOverSchema,
          example: { from: '0197f69e-6f00-7a10-9b20-1a2b3c4d5e6f' },
        },
        (by, id, { from }) => incidents.takeOver(by, id, from),
      )

      says(
        'resend',
        {
          action: 'incident.resend',
          operationId: 'resendToContact',
          summary: 'Sends the alarm to one contact once more',
          description: `Sends the alarm to one contact once more, at most once a minute (429 with Retry-After). ${CONFLICT}`,
          body: resendSchema,
          example: { contactId: exampleContactId },
        },
        (by, id, { contactId }) => incidents.resend(by, id, contactId),
      )
    },

    anyBody(scope, refuse) {
      scope.post(
        `${ONE}/resolve`,
        {
          config: { action: 'incident.resolve' },
          validatorCompiler: objectOrNothing,
          schema: {
            operationId: 'resolveIncident',
            summary: 'Closes an incident as resolved',
            description: `Closes it; everyone who was alerted is told. With \`presses\`, 409 \`pressed_again\` if there are more. The body is optional: how it turned out, for the report, the table and the statistics; nobody is told of it. ${CONFLICT}`,
            params: idSchema,
            querystring: pressesQuerySchema,
            body: resolveSchema,
            response: { 200: caseSchema, ...errors(400, 404, 409) },
            examples: {
              parameters: { id: exampleIncidentId, presses: 1 },
              body: { outcome: 'hospital', note: 'Broken leg, flown to Innsbruck.' },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const { outcome, note } = request.body
          const remark = { ...(outcome != null && { outcome }), ...(note != null && { note }) }
          const { id } = request.params
          const seen = [request.query.presses, request.body.presses].filter((count) => count != null)
          const presses = seen.length === 0 ? undefined : Math.min(...seen)
          const done = await inTurn(request, (by) => incidents.resolve(by, id, remark, presses))
          return answerCase(reply, refuse, done)
        },
      )
    },

    bodiless(scope, refuse) {
      for (const [path, act, action, said] of [
        [
          'untake',
          'untake',
          'incident.untake',
          {
            operationId: 'untakeIncident',
            summary: 'Releases it within a minute: the cascade goes on',
            description: `The operator who took it releases it within a minute: the cascade goes on. ${CONFLICT}`,
          },
        ],
        [
          'resume',
          'resume',
          'incident.resume',
          {
            operationId: 'resumeIncident',
            summary: 'Continues an incident from a restored backup',
            description: `Continues an incident that came with a restored backup and is held. ${CONFLICT}`,
          },
        ],
        [
          'alarm-now',
          'alarmNow',
          'incident.alarm_now',
          {
            operationId: 'alarmNow',
            summary: 'Alarms at once with the presses that are put off',
            description: `Alarms at once with the presses that are put off (\`putOff\`), and answers with the case of the new incident. ${CONFLICT}`,
          },
        ],
      ] as const) {
        scope.post(
          `${ONE}/${path}`,
          {
            config: { action },
            schema: {
              ...said,
              params: idSchema,
              response: { 200: caseSchema, ...errors(400, 404, 409) },
              examples: exampleOne,
            },
          },
          async (request, reply) =>
            answerCase(reply, refuse, await inTurn(request, (by) => incidents[act](by, request.params.id))),
        )
      }

      for (const [act, action, said] of [
        [
          'take',
          'incident.take',
          {
            operationId: 'takeIncident',
            summary: 'Takes an incident: the cascade stops',
            description: `The operator helps: the cascade stops as with a contact's answer. With \`presses\`, 409 \`pressed_again\` if there are more. ${CONFLICT}`,
          },
        ],
        [
          'seen',
          'incident.seen',
          {
            operationId: 'markIncidentSeen',
            summary: 'An operator has opened it: no longer new',
            description:
              'Somebody has opened it on a screen: it is no longer `new`. Takes nothing and stops nothing. With `presses`, 409 `pressed_again` if there are more.',
          },
        ],
      ] as const) {
        scope.post(
          `${ONE}/${act}`,
          {
            config: { action },
            schema: {
              ...said,
              params: idSchema,
              querystring: pressesQuerySchema,
              response: { 200: caseSchema, ...errors(400, 404, 409) },
              examples: { parameters: { id: exampleIncidentId, presses: 1 }, answers: { 200: exampleCase } },
            },
          },
          async (request, reply) => {
            const { presses } = request.query
            const done = await inTurn(request, (by) => incidents[act](by, request.params.id, presses))
            return answerCase(reply, refuse, done)
          },
        )
      }

      scope.post(
        `${ONE}/contacts/:contactId/show-position`,
        {
          config: { action: 'incident.show_position' },
          schema: {
            operationId: 'showPositionToContact',
            summary: 'Lets a contact who was added during the alarm see the position',
            description: `Lets a contact whom the user's own session added during the alarm see the position. ${CONFLICT}`,
            params: contactOfIncidentSchema,
            response: { 200: caseSchema, ...errors(400, 404, 409) },
            examples: {
              parameters: { id: exampleIncidentId, contactId: exampleContactId },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const { id, contactId } = request.params
          return answerCase(reply, refuse, await inTurn(request, (by) => incidents.showPosition(by, id, contactId)))
        },
      )
    },
  })
}
