import { z } from 'zod'
import { type Contact, contactView } from '../../../../core/account/contact.ts'
import { contactCreateSchema, contactUpdateSchema } from '../../../../core/account/contact-schema.ts'
import type { Session } from '../../../../core/account/session.ts'
import { isJsonObject } from '../../../../core/ingest/json.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { sessionOf } from '../admission/session.ts'
import { tooMany } from '../admission/throttle.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { changedContactSchema, contactSchema, verificationSchema } from '../schemas/account.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'

const PATH = '/v1/sdk/contacts'

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

const contactsSchema = z.array(contactSchema)
const nothing = z.null()

/** The user's emergency contacts. protocol.md#rest, protocol.md#contacts. */
export const contactRoutes = (parts: HttpParts) => {
  const { ownAccount, verification } = parts
  const withWarnings = async (session: Session, contact: Contact) => {
    const warnings = await ownAccount.warningsOf(session, contact)
    return { ...contactView(contact), ...(warnings.length > 0 && { warnings }) }
  }
  return family('CONTACTS', parts, {
    json(scope, refuse) {
      scope.get(
        PATH,
        { schema: { summary: 'Lists the contacts by priority', response: { 200: contactsSchema } } },
        async (request) => (await ownAccount.contacts(sessionOf(request))).map(contactView),
      )

      scope.post(
        PATH,
        {
          schema: {
            summary: 'Adds a contact, at position `priority` or at the end',
            body: contactCreateSchema,
            response: { 201: changedContactSchema, ...bodyErrors, ...errors(409) },
          },
        },
        async (request, reply) => {
          const added = await ownAccount.addContact(sessionOf(request), request.body)
          if ('refused' in added) return refuse(reply, added.refused)
          return reply.code(201).send(await withWarnings(sessionOf(request), added))
        },
      )

      scope.put(
        `${PATH}/reorder`,
        {
          schema: {
            summary: 'Sets the order of the contacts',
            body: reorderSchema,
            response: { 204: nothing, ...bodyErrors },
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
            summary: 'Updates a contact',
            params: idParams,
            body: contactUpdateSchema,
            response: { 200: changedContactSchema, ...bodyErrors, ...errors(404) },
          },
          // Before the body is looked at: no body makes such an id exist.
          preValidation: async ({ params }, reply) =>
            isUuid(params.id) ? undefined : refuse(reply, 'contact_not_found'),
        },
        async (request, reply) => {
          const { id } = request.params
          const updated = await ownAccount.updateContact(sessionOf(request), id.toLowerCase(), request.body)
          return 'refused' in updated ? refuse(reply, updated.refused) : withWarnings(sessionOf(request), updated)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.post(
        `${PATH}/:id/verify`,
        {
          schema: {
            summary: 'Asks a contact, by SMS, whether they agree',
            params: idParams,
            response: { 202: verificationSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'contact_not_found')
          const asked = await verification.ask(sessionOf(request).userId, id.toLowerCase())
          if (!('refused' in asked)) return reply.code(202).send(asked)
          if (asked.refused === 'contact_not_found') return refuse(reply, asked.refused)
          if (asked.retryAfterMs === null) return refuse(reply, 'verification_used_up')
          return tooMany(reply, 'CONTACTS', Math.max(1, Math.ceil(asked.retryAfterMs / SECOND)))
        },
      )

      scope.delete(
        `${PATH}/:id`,
        { schema: { summary: 'Deletes a contact', params: idParams, response: { 204: nothing, ...errors(404) } } },
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
