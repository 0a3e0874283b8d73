import { addContactBy } from '../../../../../app/operator/contacts.ts'
import { contactView } from '../../../../../core/account/contact.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { contactAdd, contactAddedSchema } from '../schemas/first-steps.ts'
import { applicationFor } from './applications.ts'

/** Contacts of users whose app does not add them. protocol.md#operator-api. */
export const operatorContactRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        '/v1/operator/applications/:id/contacts',
        {
          // Whoever is a contact gets the position with each alarm.
          config: { action: 'user.change' },
          schema: {
            summary: 'Adds an emergency contact of a user',
            params: idParams,
            body: contactAdd,
            response: { 201: contactAddedSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(parts, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { externalUserId, ...fields } = request.body
          const user = { appId: application.id, externalUserId }
          const added = await addContactBy(estate, user, fields, callerOf(request).by())
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
  })
}
