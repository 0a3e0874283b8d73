import { z } from 'zod'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { talkKeyField, talkTextField, talkToField } from '../../../../../core/incident/talk-schema.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { answerCase, caseSchema, exampleCase, idSchema, inTurn, PATH } from './case.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { exampleIncidentId } from './item.ts'

const messageSchema = z.object({
  id: talkKeyField.meta({ description: 'Made by the sender. The same id again is the same message' }),
  text: talkTextField.meta({ description: 'Up to 500 characters' }),
  to: talkToField.optional().meta({
    description: '`desk`: no contact reads it. Default: `talk.to` of the case, as the person’s newest message',
  }),
})

type Needs = OperatorAdmission & { readonly incidents: Pick<ReturnType<typeof operatorIncidents>, 'say'> }

/** Operators' messages to the person during an alarm (protocol.md#talk). */
export const operatorMessageRoutes = (needs: Needs) => {
  const { incidents } = needs
  return family('OPERATOR', needs, {
    refusals: incidentRefusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/:id/messages`,
        {
          config: { action: 'incident.message' },
          schema: {
            operationId: 'writeToPerson',
            summary: 'Writes to the person during the alarm',
            description:
              'Writes to the person, whose app shows it; contacts who help read it, too, unless `to` is `desk`. It changes no state: it takes, answers and ends nothing. All operators together write 60 an hour. Answers with the incident as it is now; 409 if it has ended, with the incident in the error.',
            params: idSchema,
            body: messageSchema,
            response: { 200: caseSchema, ...bodyErrors, ...errors(404, 409, 429) },
            examples: {
              parameters: { id: exampleIncidentId },
              body: { id: '8f0c2a6e-31d4', text: 'The helicopter is on its way. Can you move?' },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const { id: key, text, to = null } = request.body
          const said = await inTurn(request, (by) => incidents.say(by, request.params.id, { key, text, to }))
          return answerCase(reply, refuse, said)
        },
      )
    },
  })
}
