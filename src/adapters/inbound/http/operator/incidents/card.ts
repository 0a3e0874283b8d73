import { z } from 'zod'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import type { Refusals } from '../../refusals.ts'
import { errors } from '../../schemas/error.ts'
import { cardFields, exampleCard } from '../../sdk/card.ts'
import { idSchema, inTurn, PATH } from './case.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { exampleIncidentId } from './item.ts'

export const shownCardSchema = z
  .object({ ...cardFields, updatedAt: z.iso.datetime() })
  .meta({ id: 'ShownCard', description: 'What the person wants helpers to know' })

const refusals = {
  no_card: { kind: 'NOT_FOUND', message: 'This person has not written a card.' },
  card_hidden: {
    kind: 'CONFLICT',
    message:
      'The card is shown only while a real alarm of this person is open: not in a drill, not after the end, and not while only another user’s gateway has raised it.',
  },
  card_locked: { kind: 'UNAVAILABLE', message: 'The card cannot be opened.' },
  too_many_looks: {
    kind: 'RATE_LIMITED',
    message: 'You have opened 600 cards within an hour. Wait, or ask another operator.',
    headers: { 'retry-after': '60' },
  },
} as const satisfies Refusals

type Needs = OperatorAdmission & { readonly incidents: Pick<ReturnType<typeof operatorIncidents>, 'card'> }

/** The card of an incident's person. rules.md#card. */
export const operatorCardRoutes = (needs: Needs) =>
  family('OPERATOR', needs, {
    refusals: { ...incidentRefusals, ...refusals },

    bodiless(scope, refuse) {
      scope.post(
        `${PATH}/:id/card`,
        {
          config: { action: 'incident.card' },
          schema: {
            operationId: 'showCard',
            summary: 'Shows the card of the person',
            description:
              'What the person wants helpers to know, while a real alarm of theirs is open. Each call leaves a row in the audit log before the card is shown. `hasCard` of the case says whether there is one. 409 `card_hidden` in a drill, after the end, and while only another user’s gateway has raised the alarm. 503 `card_locked` if this service has another key than the one that sealed it.',
            params: idSchema,
            response: { 200: shownCardSchema, ...errors(400, 404, 409) },
            examples: {
              parameters: { id: exampleIncidentId },
              answers: { 200: { ...exampleCard, updatedAt: '2026-03-01T09:10:00.000Z' } },
            },
          },
        },
        async (request, reply) => {
          const shown = await inTurn(request, (by) => needs.incidents.card(by, request.params.id))
          if (!('refused' in shown)) return shown
          if (shown.refused === 'card_locked') {
            return refuse(reply, shown.refused, { message: `The card cannot be opened: ${shown.why}.` })
          }
          return refuse(reply, shown.refused)
        },
      )
    },
  })
