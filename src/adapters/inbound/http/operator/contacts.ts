import { z } from 'zod'
import type { contactChecks } from '../../../../app/operator/contact-checks.ts'
import { addContactBy } from '../../../../app/operator/contacts.ts'
import { contactView } from '../../../../core/account/contact.ts'
import { contactCreateSchema } from '../../../../core/account/contact-schema.ts'
import { externalUserIdField } from '../../../../core/account/person-schema.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { contactSchema, verificationSchema, warningsSchema } from '../sdk/contacts.ts'
import { applicationId, exampleContact, userId } from './examples.ts'
import { applicationFor, userFor } from './scope.ts'

const contactAdd = z.strictObject({
  ...contactCreateSchema.omit({ priority: true }).shape,
  externalUserId: externalUserIdField.meta({ description: 'Whose contact; created where there is no such user yet' }),
})
/** The same as for the user. */
export const contactAskedSchema = verificationSchema
const contactParams = z.object({ id: z.string(), contactId: z.string() })
const contactAddedSchema = z.object({
  userId: z.uuid(),
  externalUserId: z.string(),
  contact: contactSchema,
  warnings: warningsSchema,
})

const refusals = {
  verification_limit: {
    kind: 'RATE_LIMITED',
    message: 'The daily limit for this number, this user or the whole site is reached. Try again later.',
  },
  verification_used_up: {
    kind: 'LIMIT',
    message: 'This number has been asked too often and cannot be asked again. Call the contact instead.',
  },
} as const satisfies Refusals

const NO_CONTACT = 'This user has no such contact.'

type Needs = OperatorAdmission &
  Parameters<typeof addContactBy>[0] & { readonly askContact: ReturnType<typeof contactChecks> }

/** Contacts: of users whose app does not add them, and whether they agree. protocol.md#operator-api. */
export const operatorContactRoutes = (needs: Needs) => {
  const { store, askContact } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        '/v1/operator/applications/:id/contacts',
        {
          // A contact gets the position with each alarm.
          config: { action: 'user.change' },
          schema: {
            operationId: 'addContactOfUser',
            summary: 'Adds an emergency contact of a user',
            description:
              'Adds an emergency contact of the user with this external id, and creates the user if necessary. From then on the contact gets the user’s alarms with the position, including that of an open incident. 400 `phone_not_allowed` outside the country prefixes.',
            params: idParams,
            body: contactAdd,
            response: { 201: contactAddedSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: applicationId },
              body: { externalUserId: 'mia-7', name: 'Ana Gruber', phone: '+436601234567', language: 'de' },
              answers: {
                201: {
                  userId,
                  externalUserId: 'mia-7',
                  contact: exampleContact,
                },
              },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { externalUserId, ...fields } = request.body
          const user = { appId: application.id, externalUserId }
          const added = await addContactBy(needs, user, fields, callerOf(request).by())
          if ('refused' in added) {
            return refuse(
              reply,
              added.refused,
              added.refused === 'phone_not_allowed' ? { allowedPrefixes: application.allowedPrefixes } : {},
            )
          }
          const { user: owner, contact, warnings } = added
          return reply.code(201).send({
            userId: owner.id,
            externalUserId,
            contact: contactView(contact),
            ...(warnings.length > 0 && { warnings }),
          })
        },
      )
    },

    bodiless(scope, refuse) {
      scope.post(
        '/v1/operator/users/:id/contacts/:contactId/verify',
        {
          config: { action: 'contact.verify' },
          schema: {
            operationId: 'askContact',
            summary: 'Asks a contact, by SMS, whether they agree',
            description:
              'Asks a contact by SMS whether they agree to be alarmed, within the limits that the user has, too. `requested` also where nothing is sent because another user had the number asked today. Retry-After says when the limit ends.',
            params: contactParams,
            response: { 202: contactAskedSchema, ...errors(404, 409) },
            examples: {
              parameters: { id: userId, contactId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0f' },
              answers: { 202: { status: 'requested' } },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const asked = await askContact(user, request.params.contactId.toLowerCase(), callerOf(request).by())
          if (!('refused' in asked)) return reply.code(202).send(asked)
          if (asked.refused === 'contact_not_found') return refuse(reply, asked.refused, { message: NO_CONTACT })
          if (asked.retryAfterMs === null) return refuse(reply, 'verification_used_up')
          return refuse(reply, asked.refused, later(asked))
        },
      )
    },
  })
}
