import { z } from 'zod'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { headStates } from '../../../../../core/incident/incident.ts'
import { endRemarkFields, teamField } from '../../../../../core/operator/operator-schema.ts'
import type { Caller } from '../../admission/caller.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { asGiven } from '../scope.ts'
import { CONFLICT } from './acts.ts'
import { listText, sendList } from './board.ts'
import { answerCase, caseSchema, exampleCase, idSchema, inTurn, PATH } from './case.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { boardItemSchema, exampleIncidentId, exampleItem } from './item.ts'

const majorSchema = z
  .object({
    id: z.uuid().toLowerCase().nullable().meta({
      description: 'Of the major incident: the id of its first incident, which names it; null: in none',
    }),
    from: z.uuid().toLowerCase().nullish().meta({
      description: 'The one that the item has it in, if it is another: where that has changed, 409',
    }),
    assignedTo: teamField.nullish().meta({ description: 'Who looks after it, up to 100 characters; null: nobody' }),
    head: z.enum(headStates).nullish().meta({ description: 'The head count; null: not counted' }),
    presses: z.int().min(0).optional().meta({ description: 'Of the item: with more, 409. Goes with `head`' }),
  })
  .refine(({ head, presses }) => head == null || presses !== undefined, {
    path: ['presses'],
    error: 'is missing: a head count says how many presses it is about',
  })

const number = (description: string) => z.int().min(0).meta({ description })

/** Everything that the list showed is said. */
const listedEndSchema = z.object({
  major: z.uuid().toLowerCase().meta({ description: 'The major incident whose list it is' }),
  presses: z.int().min(0).meta({ description: 'Of the item in the list: with more, 409' }),
  outcome: endRemarkFields.outcome,
  note: endRemarkFields.note.nullish().meta({ description: 'One sentence on how it turned out' }),
})

export const majorIncidentSchema = z
  .object({
    id: z.uuid().meta({ description: 'The id of the incident that it is named after' }),
    startedAt: z.iso.datetime().meta({ description: 'When that was pressed' }),
    count: z
      .object({
        pressed: number('All of them'),
        answered: number('Somebody helps, and they are not counted yet'),
        safe: number('Counted as safe, or ended as that'),
        handedOver: number('Counted as handed over, or ended as that'),
        ended: number('Ended from the own phone or by the system: nobody knows'),
      })
      .meta({ description: 'The head count' }),
    items: z.array(boardItemSchema).readonly().meta({ description: 'Open and ended ones, oldest first; at most 200' }),
  })
  .meta({ id: 'MajorIncident', description: 'Alarms that operators have put together' })

const exampleMajor = {
  id: exampleIncidentId,
  startedAt: exampleItem.pressedAt,
  count: { pressed: 1, answered: 0, safe: 1, handedOver: 0, ended: 0 },
  items: [
    {
      ...exampleItem,
      major: {
        id: exampleIncidentId,
        startedAt: exampleItem.pressedAt,
        assignedTo: 'Team 2',
        head: { state: 'safe', at: '2026-05-01T15:02:00.000Z', name: 'Eva' },
      },
    },
  ],
}

type Needs = OperatorAdmission & {
  readonly incidents: Pick<ReturnType<typeof operatorIncidents>, 'major' | 'majorIncident' | 'resolve'>
}

/** A major incident with its alarms (rules.md#major). */
export const operatorMajorRoutes = (needs: Needs) => {
  const { incidents } = needs
  return family('OPERATOR', needs, {
    refusals: incidentRefusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/:id/major`,
        {
          config: { action: 'incident.major' },
          schema: {
            operationId: 'noteMajorIncident',
            summary: 'Notes its part in a major incident',
            description: `Puts it into a major incident or takes it out, says who looks after it, and counts its person. It takes nothing, answers no alarm and stops no cascade. Absent fields stay. 409 \`in_another_major\`, \`major_mixed\` (never an exercise beside an alarm), \`major_limit\` (200 incidents each, 20 open), 404 \`major_not_found\`. ${CONFLICT}`,
            params: idSchema,
            body: majorSchema,
            response: { 200: caseSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: exampleIncidentId },
              body: { id: exampleIncidentId, assignedTo: 'Team 2', head: 'safe', presses: 1 },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const part = asGiven(request.body)
          return answerCase(reply, refuse, await inTurn(request, (by) => incidents.major(by, request.params.id, part)))
        },
      )

      scope.post(
        `${PATH}/:id/major/resolve`,
        {
          config: { action: 'incident.resolve' },
          schema: {
            operationId: 'endFromMajorIncident',
            summary: 'Closes one incident from the list of its major incident',
            description: `Closes it as \`resolve\` does, but only if it is in this major incident, the head count has the person as safe or handed over, and no other operator has it: else 409 \`not_counted\` or \`taken_by_another\`; 409 \`pressed_again\` if there are more presses. ${CONFLICT}`,
            params: idSchema,
            body: listedEndSchema,
            response: { 200: caseSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: exampleIncidentId },
              body: { major: exampleIncidentId, presses: 1, outcome: 'found_safe', note: 'Walked down with Team 2.' },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const { major, presses, outcome, note } = request.body
          const remark = { outcome, ...(note != null && { note }) }
          const end = (by: Caller) => incidents.resolve(by, request.params.id, remark, presses, major)
          return answerCase(reply, refuse, await inTurn(request, end))
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/major-incidents/:id',
        {
          config: { action: 'incident.view' },
          schema: {
            operationId: 'getMajorIncident',
            summary: 'A major incident: its alarms and the head count',
            description:
              'The alarms that operators have put together, as far as the caller may see them, and the head count of these. Alarms are put in and counted one by one (`POST …/incidents/{id}/major`), and ended one by one: nothing here acts on several.',
            params: idSchema,
            response: { 200: majorIncidentSchema, ...errors(400, 404) },
            examples: { parameters: { id: exampleIncidentId }, answers: { 200: exampleMajor } },
          },
        },
        async (request, reply) => {
          const found = await inTurn(request, (by) => incidents.majorIncident(by, request.params.id.toLowerCase()))
          if ('refused' in found) return refuse(reply, found.refused)
          return sendList(reply, await listText(found))
        },
      )
    },
  })
}
