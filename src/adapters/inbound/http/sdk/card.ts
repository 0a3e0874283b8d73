import { z } from 'zod'
import type { ownCard } from '../../../../app/user/own-card.ts'
import { hearings } from '../../../../core/account/card.ts'
import { cardUpdateSchema } from '../../../../core/account/card-schema.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { ANA_ID } from './examples.ts'

const PATH = '/v1/sdk/me/card'

/** The fields that helpers see. */
export const cardFields = {
  languages: z.array(z.string()).readonly().meta({ description: 'BCP 47, the best spoken one first' }),
  hearing: z.enum(hearings).nullable(),
  yearOfBirth: z.int().nullable(),
  peopleWithMe: z.string().nullable(),
  vehicle: z.string().nullable(),
  note: z.string().nullable(),
}

/** rules.md#card. */
export const cardSchema = z
  .object({
    ...cardFields,
    contactIds: z.array(z.uuid()).readonly().meta({ description: 'Contacts who may see it, at their numbers of now' }),
    updatedAt: z.iso.datetime().nullable().meta({ description: 'Null: there is none' }),
  })
  .meta({ id: 'Card', description: 'The card' })

const nothing = z.null().meta({ description: 'Removed' })
const updateSchema = cardUpdateSchema.meta({ id: 'CardUpdate' })

const cardRefusals = {
  card_locked: {
    kind: 'UNAVAILABLE',
    message:
      'The card can be neither read nor changed at the moment. What was kept is still there; try again later. The operator of this service finds the reason in its log.',
    headers: { 'retry-after': '600' },
  },
  card_changed: { kind: 'CONFLICT', message: 'Another device is changing the card as well. Read it and try again.' },
} as const satisfies Refusals

export const exampleCard = {
  languages: ['de', 'en'],
  hearing: 'hard_of_hearing',
  yearOfBirth: 1961,
  peopleWithMe: 'Two children, 6 and 9',
  vehicle: 'Green VW bus, GM 214 C',
  note: 'Diabetic; insulin in the red bag.',
}
const card = { ...exampleCard, contactIds: [ANA_ID], updatedAt: '2026-03-01T09:10:00.000Z' }

type Needs = UserAdmission & { readonly ownCard: ReturnType<typeof ownCard> }

/** The user's card for helpers. protocol.md#card. */
export const cardRoutes = (needs: Needs) =>
  family('PROFILE', needs, {
    refusals: cardRefusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'getCard',
            summary: 'What helpers should know about the user',
            description: 'The user’s card, as the user wrote it. Without one, every field is null or empty.',
            response: { 200: cardSchema },
            examples: { answers: { 200: card } },
          },
        },
        async (request, reply) => {
          const read = await needs.ownCard.read(sessionOf(request))
          return 'refused' in read ? refuse(reply, read.refused) : read
        },
      )

      scope.put(
        PATH,
        {
          schema: {
            operationId: 'updateCard',
            summary: 'Changes the card; null clears a field',
            description:
              'Changes only the fields sent; `null` clears a field. The card is encrypted at rest. Operators see it while a real alarm is open, and each look is logged. A contact in `contactIds` sees it then, too, once that contact is confirmed and has answered *coming*. A contact whose number changes has to be named again: send `contactIds` only when the user has chosen. With every field empty there is no card.',
            body: updateSchema,
            response: { 200: cardSchema, ...bodyErrors, ...errors(409) },
            examples: { body: { ...exampleCard, contactIds: [ANA_ID] }, answers: { 200: card } },
          },
        },
        async (request, reply) => {
          const updated = await needs.ownCard.update(sessionOf(request), request.body)
          if (!('refused' in updated)) return updated
          return updated.refused === 'invalid' ? refuse(reply, updated.fields) : refuse(reply, updated.refused)
        },
      )
    },

    bodiless(scope) {
      scope.delete(
        PATH,
        {
          schema: {
            operationId: 'removeCard',
            summary: 'Removes the card',
            description: 'Removes the card, also one that cannot be opened. Removing it twice succeeds.',
            response: { 204: nothing },
          },
        },
        async (request, reply) => {
          await needs.ownCard.remove(sessionOf(request))
          return reply.code(204).send(null)
        },
      )
    },
  })
