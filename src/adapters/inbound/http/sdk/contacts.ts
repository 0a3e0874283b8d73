import { z } from 'zod'
import type { ownAccount } from '../../../../app/user/own-account.ts'
import type { verifyContacts } from '../../../../app/user/verify-contacts.ts'
import { type Contact, contactView } from '../../../../core/account/contact.ts'
import { contactCreateSchema, contactUpdateSchema } from '../../../../core/account/contact-schema.ts'
import type { Session } from '../../../../core/account/session.ts'
import { isJsonObject } from '../../../../core/ingest/json.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { sessionOf } from '../admission/session.ts'
import { tooMany } from '../admission/throttle.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { invalid } from '../problem.ts'
import { later, type Refusals, secondsUntil } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { ANA_ID, BEN_ID } from './examples.ts'

const PATH = '/v1/sdk/contacts'

export const numberCode = z.enum(['number_implausible', 'number_is_own', 'number_twice'])

/** Warnings about a number that was stored all the same. Absent if there are none. protocol.md#contacts. */
export const warningsSchema = z
  .array(
    z.object({
      code: numberCode,
      field: z.literal('phone'),
      message: z.string(),
    }),
  )
  .readonly()
  .optional()

/** protocol.md#contacts. */
export const contactSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    phone: z.string(),
    email: z.string().nullable(),
    priority: z.number().int().min(1),
    language: z.string(),
    verifiedAt: z.iso.datetime().optional().meta({ description: 'When the contact agreed; absent until then' }),
    declinedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When the contact said that they do not know the user: alarmed last' }),
    stoppedAt: z.iso.datetime().optional().meta({
      description: 'When the contact stopped messages (`STOP` by SMS): alarmed last, until they answer START',
    }),
    smsOnly: z.literal(true).optional().meta({
      description: 'Gets SMS but no call until they confirm: their number is of another country than the app’s',
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact', description: 'The contact' })

const changedContactSchema = contactSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedContact', description: 'The contact, with what is odd about its number' })

/** The answer to a request to ask a contact. */
export const verificationSchema = z.object({
  status: z.enum(['requested', 'verified']).meta({
    description:
      '`requested` does not say that a message leaves: that would reveal whether another user has named the number',
  }),
})

/** protocol.md#rest: `{ contactIds }`, `{ ids }` or a bare array. */
const reorderSchema = z.preprocess(
  (body) => {
    if (Array.isArray(body)) return { contactIds: body }
    return isJsonObject(body) && body.contactIds === undefined ? { contactIds: body.ids } : body
  },
  z.object({
    contactIds: z
      .array(z.string())
      .meta({ description: 'Every contact id exactly once. `ids` or a bare array is accepted too.' }),
  }),
)

const newContactSchema = contactCreateSchema.meta({ id: 'NewContact' })
const updateSchema = contactUpdateSchema.meta({ id: 'ContactUpdate' })
const contactsSchema = z.array(contactSchema)
const nothing = z.null()

const refusals = {
  contact_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of contacts.' },
  contact_not_found: { kind: 'NOT_FOUND', message: 'Contact not found.' },
  too_many_numbers: {
    kind: 'RATE_LIMITED',
    message: 'Too many new numbers today, for a user whom a poster or another person invited. Try again later.',
  },
  not_a_reorder: invalid([{ field: 'contactIds', message: 'must contain the id of every contact exactly once' }]),
  verification_used_up: { kind: 'LIMIT', message: 'This number has been asked too often and cannot be asked again.' },
} as const satisfies Refusals

const contact = {
  id: ANA_ID,
  name: 'Ana',
  phone: '+436641111111',
  email: null,
  priority: 1,
  language: 'de',
  createdAt: '2026-06-28T17:40:02.000Z',
  updatedAt: '2026-06-28T17:40:02.000Z',
}
const ofContact = { id: contact.id }

type Needs = UserAdmission & {
  readonly ownAccount: ReturnType<typeof ownAccount>
  readonly verification: ReturnType<typeof verifyContacts>
}

/** The user's emergency contacts. protocol.md#rest, protocol.md#contacts. */
export const contactRoutes = (needs: Needs) => {
  const { ownAccount, verification } = needs
  const viewsOf = async (session: Session, contacts: readonly Contact[]) => {
    const textedOnly = await ownAccount.textedOnly(session, contacts)
    return contacts.map((one) => ({ ...contactView(one), ...(textedOnly.has(one.id) && { smsOnly: true as const }) }))
  }
  const withWarnings = async (session: Session, contact: Contact) => {
    const [[view], warnings] = await Promise.all([viewsOf(session, [contact]), ownAccount.warningsOf(session, contact)])
    return { ...view!, ...(warnings.length > 0 && { warnings }) }
  }
  return family('CONTACTS', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'listContacts',
            summary: 'Lists the contacts by priority',
            description: 'The emergency contacts in the order in which they are notified: priority 1 first.',
            response: { 200: contactsSchema },
            examples: { answers: { 200: [contact] } },
          },
        },
        async (request) => viewsOf(sessionOf(request), await ownAccount.contacts(sessionOf(request))),
      )

      scope.post(
        PATH,
        {
          schema: {
            operationId: 'createContact',
            summary: 'Adds a contact, at position `priority` or at the end',
            description:
              'Adds a contact at position `priority`, or at the end. While an incident is active, the contact joins its cascade. 409 when the user already has the maximum number of contacts; 429 with `Retry-After` for a user whom a poster or another person invited, after six new numbers in 24 h.',
            body: newContactSchema,
            response: { 201: changedContactSchema, ...bodyErrors, ...errors(409) },
            examples: {
              body: { name: 'Ana', phone: contact.phone, language: 'de', priority: 1 },
              answers: { 201: contact },
            },
          },
        },
        async (request, reply) => {
          const added = await ownAccount.addContact(sessionOf(request), request.body)
          if ('refused' in added) return refuse(reply, added.refused, later(added))
          return reply.code(201).send(await withWarnings(sessionOf(request), added))
        },
      )

      scope.put(
        `${PATH}/reorder`,
        {
          schema: {
            operationId: 'reorderContacts',
            summary: 'Sets the order of the contacts',
            description: 'Sets the order of the contacts. The list must contain every contact id exactly once.',
            body: reorderSchema,
            response: { 204: nothing, ...bodyErrors },
            examples: { body: { contactIds: [ANA_ID, BEN_ID] } },
          },
        },
        async (request, reply) => {
          const ids = request.body.contactIds.map((id) => id.toLowerCase())
          const reordered = await ownAccount.reorderContacts(sessionOf(request), ids)
          return 'refused' in reordered ? refuse(reply, reordered.refused) : reply.code(204).send(null)
        },
      )

      scope.put(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'updateContact',
            summary: 'Updates a contact',
            description:
              'Changes only the fields sent. `priority` moves the contact to that position. 429 as for a new contact.',
            params: idParams,
            body: updateSchema,
            response: { 200: changedContactSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: ofContact,
              body: { phone: '+436641111112' },
              answers: { 200: { ...contact, phone: '+436641111112' } },
            },
          },
          // Before the body is looked at: no body makes such an id exist.
          preValidation: async ({ params }, reply) =>
            isUuid(params.id) ? undefined : refuse(reply, 'contact_not_found'),
        },
        async (request, reply) => {
          const { id } = request.params
          const updated = await ownAccount.updateContact(sessionOf(request), id.toLowerCase(), request.body)
          if ('refused' in updated) return refuse(reply, updated.refused, later(updated))
          return withWarnings(sessionOf(request), updated)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.post(
        `${PATH}/:id/verify`,
        {
          schema: {
            operationId: 'verifyContact',
            summary: 'Asks a contact, by SMS, whether they agree',
            description:
              'Sends the contact an SMS with a link to confirm. At most one per number and day, three per number in all, ten per user and day; 429 with `Retry-After`, and 409 when the number cannot be asked again. `contacts[].verifiedAt` tells when the contact confirmed.',
            params: idParams,
            response: { 202: verificationSchema, ...errors(404, 409) },
            examples: { parameters: ofContact, answers: { 202: { status: 'requested' } } },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'contact_not_found')
          const asked = await verification.ask(sessionOf(request).userId, id.toLowerCase())
          if (!('refused' in asked)) return reply.code(202).send(asked)
          if (asked.refused === 'contact_not_found') return refuse(reply, asked.refused)
          if (asked.retryAfterMs === null) return refuse(reply, 'verification_used_up')
          return tooMany(reply, 'CONTACTS', secondsUntil(asked.retryAfterMs))
        },
      )

      scope.delete(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'deleteContact',
            summary: 'Deletes a contact',
            description: 'Deletes a contact. Those after it move up, so that priorities stay 1 to n.',
            params: idParams,
            response: { 204: nothing, ...errors(404) },
            examples: { parameters: ofContact },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'contact_not_found')
          const removed = await ownAccount.removeContact(sessionOf(request), id.toLowerCase())
          return 'refused' in removed ? refuse(reply, removed.refused) : reply.code(204).send(null)
        },
      )
    },
  })
}
