import { z } from 'zod'
import {
  addContactOf,
  type ContactNeeds,
  orderContactsOf,
  removeContactOf,
  updateContactOf,
} from '../../../../app/operator/contacts.ts'
import { addPersonBy, type PeopleNeeds, updatePersonBy, type WrittenPerson } from '../../../../app/operator/people.ts'
import { userView } from '../../../../app/operator/users.ts'
import { contactView } from '../../../../core/account/contact.ts'
import { contactCreateSchema, contactUpdateSchema } from '../../../../core/account/contact-schema.ts'
import { externalUserIdField, personUpdateSchema } from '../../../../core/account/person-schema.ts'
import type { AccountStore, ApplicationStore } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { invalid } from '../problem.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { contactSchema, warningsSchema } from '../sdk/contacts.ts'
import { applicationId, exampleContact, exampleUser, userId } from './examples.ts'
import { applicationFor, asGiven, userFor } from './scope.ts'
import { userSchema } from './users.ts'

const personUpdate = z.strictObject(personUpdateSchema.shape).meta({ id: 'OperatorPersonUpdate' })
const personAdd = z
  .strictObject({
    ...personUpdateSchema.shape,
    externalUserId: externalUserIdField
      .optional()
      .meta({ description: 'The id with which an app signs the person in. Absent: one is made' }),
  })
  .meta({ id: 'OperatorNewPerson' })
/** A person as written, with doubts about the number. */
export const personSchema = userSchema
  .extend({ notes: z.string().nullable(), warnings: warningsSchema })
  .meta({ id: 'OperatorPerson', description: 'A person as operators write them down' })

const contactAdd = z.strictObject(contactCreateSchema.shape).meta({ id: 'OperatorNewContact' })
const contactUpdate = z.strictObject(contactUpdateSchema.shape).meta({ id: 'OperatorContactUpdate' })
export const writtenContactSchema = contactSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'OperatorContact', description: 'The contact, with what is odd about the number' })
const contactParams = idParams.extend({ contactId: z.string() })
const orderGiven = z.strictObject({
  contactIds: z.array(z.string()).max(100).meta({ description: 'Every contact id exactly once' }),
})
const contactsSchema = z.object({ items: z.array(contactSchema) })

const refusals = {
  user_exists: {
    kind: 'CONFLICT',
    message: 'A person with this external id exists already. Open that one to change it.',
  },
  not_a_reorder: invalid([{ field: 'contactIds', message: 'must contain the id of every contact exactly once' }]),
} as const satisfies Refusals

const NO_CONTACT = 'This user has no such contact.'
const person = { ...exampleUser, language: 'de', groups: ['Hut wardens'], notes: 'Deaf in one ear' }
const contactId = exampleContact.id

type Needs = OperatorAdmission & PeopleNeeds & ContactNeeds & { readonly store: AccountStore & ApplicationStore }

const shown = ({ user, warnings }: WrittenPerson) => {
  const { appId, ...view } = userView(user)
  return { applicationId: appId, ...view, notes: user.operatorNotes, ...(warnings.length > 0 && { warnings }) }
}

/** People whom operators write down, and their contacts. people.md. */
export const operatorPeopleRoutes = (needs: Needs) => {
  const { store } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        '/v1/operator/applications/:id/users',
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'addUser',
            summary: 'Adds a person who has no app, or not yet',
            description:
              'Adds a person, such as one who carries only a tracker. 409 `user_exists` if the external id is taken: nothing changes then.',
            params: idParams,
            body: personAdd,
            response: { 201: personSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: applicationId },
              body: { name: 'Mia Moser', phone: '+436601234567', language: 'de', groups: ['Hut wardens'] },
              answers: { 201: person },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { externalUserId, ...fields } = asGiven(request.body)
          const one = { appId: application.id, externalUserId }
          const added = await addPersonBy(needs, one, fields, callerOf(request).by())
          return 'refused' in added ? refuse(reply, added.refused) : reply.code(201).send(shown(added))
        },
      )

      scope.patch(
        '/v1/operator/users/:id',
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'updateUser',
            summary: 'Changes what is written about a person; null clears a field',
            description:
              'Changes only the fields sent; `null` clears a field. While an alarm is open, the change stands in its timeline.',
            params: idParams,
            body: personUpdate,
            response: { 200: personSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: { id: userId },
              body: { notes: 'Deaf in one ear', groups: ['Hut wardens'] },
              answers: { 200: person },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const updated = await updatePersonBy(needs, user, asGiven(request.body), callerOf(request).by())
          return 'refused' in updated ? refuse(reply, updated.refused) : shown(updated)
        },
      )

      scope.post(
        '/v1/operator/users/:id/contacts',
        {
          // A contact gets the position with each alarm.
          config: { action: 'user.change' },
          schema: {
            operationId: 'addContact',
            summary: 'Adds an emergency contact of a user',
            description:
              'Adds a contact, who gets the user’s alarms with the position from then on, including that of an open incident. `priority` is the place to insert it at. 400 `phone_not_allowed` outside the country prefixes.',
            params: idParams,
            body: contactAdd,
            response: { 201: writtenContactSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: userId },
              body: { name: 'Ana Gruber', phone: '+436601234567', language: 'de' },
              answers: { 201: exampleContact },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const added = await addContactOf(needs, user, request.body, callerOf(request).by())
          if ('refused' in added) return refuse(reply, added.refused)
          const { contact, warnings } = added
          return reply.code(201).send({ ...contactView(contact), ...(warnings.length > 0 && { warnings }) })
        },
      )

      scope.patch(
        '/v1/operator/users/:id/contacts/:contactId',
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'updateContactOfUser',
            summary: 'Corrects a contact; only the fields sent change',
            description:
              'Corrects a contact, in an open incident as well: a new number is alarmed there, besides the old one if that has been tried without failing, and sees the position. `priority` moves the contact.',
            params: contactParams,
            body: contactUpdate,
            response: { 200: writtenContactSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: { id: userId, contactId },
              body: { phone: '+436601234567' },
              answers: { 200: exampleContact },
            },
          },
        },
        async (request, reply) => {
          const { id, contactId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          const by = callerOf(request).by()
          const updated = await updateContactOf(needs, user, contactId.toLowerCase(), request.body, by)
          if ('refused' in updated) {
            return refuse(
              reply,
              updated.refused,
              updated.refused === 'contact_not_found' ? { message: NO_CONTACT } : {},
            )
          }
          const { contact, warnings } = updated
          return { ...contactView(contact), ...(warnings.length > 0 && { warnings }) }
        },
      )

      scope.post(
        '/v1/operator/users/:id/contacts/order',
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'orderContactsOfUser',
            summary: 'Puts the contacts of a user in order',
            description: 'Puts all contacts of a user in the given order. An open incident keeps its own.',
            params: idParams,
            body: orderGiven,
            response: { 200: contactsSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: { id: userId },
              body: { contactIds: [contactId] },
              answers: { 200: { items: [exampleContact] } },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const order = request.body.contactIds.map((one) => one.toLowerCase())
          const ordered = await orderContactsOf(needs, user, order, callerOf(request).by())
          if ('refused' in ordered) return refuse(reply, ordered.refused)
          return { items: (await store.contacts(user.id)).map(contactView) }
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        '/v1/operator/users/:id/contacts/:contactId',
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'removeContactOfUser',
            summary: 'Removes a contact',
            description:
              'Removes a contact. In an open incident they see the page of an ended alarm at once, and texts to them lose position and link.',
            params: contactParams,
            response: { 200: contactsSchema, ...errors(404) },
            examples: { parameters: { id: userId, contactId }, answers: { 200: { items: [] } } },
          },
        },
        async (request, reply) => {
          const { id, contactId } = request.params
          const user = await userFor(store, request, id)
          if (user === null) return refuse(reply, 'user_not_found')
          const removed = await removeContactOf(needs, user, contactId.toLowerCase(), callerOf(request).by())
          if ('refused' in removed) return refuse(reply, removed.refused, { message: NO_CONTACT })
          return { items: (await store.contacts(user.id)).map(contactView) }
        },
      )
    },
  })
}
