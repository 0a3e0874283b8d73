import { z } from 'zod'
import type { management } from '../../../../app/operator/management.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { Operator } from '../../../../core/operator/operator.ts'
import { newOperatorFields, operatorUpdateFields } from '../../../../core/operator/operator-schema.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { invitation, operatorId } from './examples.ts'
import { asGiven, grantShape } from './scope.ts'

const PATH = '/v1/operator/operators'

const moment = z.iso.datetime()
const operatorSchema = z
  .object({
    id: z.uuid(),
    login: z.string(),
    name: z.string(),
    ...grantShape,
    disabled: z.boolean(),
    createdAt: moment,
    updatedAt: moment,
    signedInAt: moment.nullable(),
  })
  .meta({ id: 'Operator', description: 'An operator of the console' })

const invitedSchema = z.object({
  url: z.string().meta({ description: 'The link for the first sign-in; shown once' }),
  expiresAt: moment,
})

export const listedSchema = operatorSchema.extend({ passkeys: z.int().meta({ description: 'How many they have' }) })

const resetSchema = z.object({ removed: z.int() })

const params = z.object({ id: z.string().max(100) })

const refusals = {
  operator_not_found: { kind: 'NOT_FOUND', message: 'There is no such operator.' },
  login_taken: { kind: 'CONFLICT', message: 'This login is already taken.' },
  last_admin: { kind: 'CONFLICT', message: 'Nobody else could manage operators. Make someone else an admin first.' },
} as const satisfies Refusals

const operator = {
  id: operatorId,
  login: 'ben',
  name: 'Ben',
  role: 'operator',
  applications: null,
  disabled: false,
  createdAt: '2026-05-01T14:08:12.000Z',
  updatedAt: '2026-05-01T14:08:12.000Z',
  signedInAt: null,
}

const invited = {
  url: `https://sos.example.org/console/#invitation=${invitation}`,
  expiresAt: '2026-05-04T14:08:12.000Z',
}

type Needs = OperatorAdmission & {
  readonly manage: Pick<ReturnType<typeof management>, 'operators' | 'add' | 'update' | 'invite' | 'resetPasskeys'>
}

const operatorView = <O extends Operator>({ createdAt, updatedAt, signedInAt, ...operator }: O) => ({
  ...operator,
  createdAt: isoAt(createdAt),
  updatedAt: isoAt(updatedAt),
  signedInAt: signedInAt === null ? null : isoAt(signedInAt),
})

/** The secret stands behind `#`, which browsers keep to themselves: no proxy logs it. */
const linkOf = (base: string, secret: string): string => `${base}/console/#invitation=${secret}`

/** Operators of the console: for admins of the site. protocol.md#operator-api. */
export const operatorAccountRoutes = (needs: Needs) => {
  const { manage, publicUrl } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'operator.manage' },
          schema: {
            operationId: 'addOperator',
            summary: 'Adds an operator',
            description:
              'Adds an operator and answers with the link for their first sign-in, which is shown once. 409 `login_taken`.',
            body: newOperatorFields,
            response: { 201: operatorSchema.extend(invitedSchema.shape), ...bodyErrors, ...errors(409) },
            examples: {
              body: { login: 'ben', name: 'Ben', role: 'operator', applications: null },
              answers: { 201: { ...operator, ...invited } },
            },
          },
        },
        async (request, reply) => {
          const added = await manage.add(request.body, callerOf(request).by())
          if ('refused' in added) return refuse(reply, added.refused)
          const { secret, expiresAt } = added.invited
          const invited = { url: linkOf(publicUrl(), secret), expiresAt: isoAt(expiresAt) }
          return reply.code(201).send({ ...operatorView(added.operator), ...invited })
        },
      )

      scope.patch(
        `${PATH}/:id`,
        {
          config: { action: 'operator.manage' },
          schema: {
            operationId: 'updateOperator',
            summary: 'Changes, disables or enables an operator',
            description:
              'Changes the fields that are sent; a role or scope applies from the next request on. Disabling ends sessions and link at once. 409 `last_admin` if nobody could manage operators any more.',
            params,
            body: operatorUpdateFields,
            response: { 200: operatorSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { id: operatorId },
              body: { disabled: true },
              answers: { 200: { ...operator, disabled: true } },
            },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          const updated = await manage.update(id, asGiven(request.body), callerOf(request).by())
          return 'refused' in updated ? refuse(reply, updated.refused) : operatorView(updated)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'operator.manage' },
          schema: {
            operationId: 'listOperators',
            summary: 'Lists the operators',
            description: 'All operators by login, disabled ones included. For admins of the site.',
            response: { 200: z.object({ items: z.array(listedSchema).readonly() }) },
            examples: { answers: { 200: { items: [{ ...operator, passkeys: 1 }] } } },
          },
        },
        async () => ({ items: (await manage.operators()).map(operatorView) }),
      )

      scope.delete(
        `${PATH}/:id/passkeys`,
        {
          config: { action: 'operator.manage' },
          schema: {
            operationId: 'resetPasskeys',
            summary: 'Removes all passkeys of an operator',
            description:
              'Removes all passkeys of an operator and ends all their sessions. Password and authenticator app keep working.',
            params,
            response: { 200: resetSchema, ...errors(404) },
            examples: { parameters: { id: operatorId }, answers: { 200: { removed: 1 } } },
          },
        },
        async (request, reply) => {
          const reset = await manage.resetPasskeys(request.params.id, callerOf(request).by())
          return 'refused' in reset ? refuse(reply, reset.refused) : reset
        },
      )

      scope.post(
        `${PATH}/:id/invitation`,
        {
          config: { action: 'operator.manage' },
          schema: {
            operationId: 'inviteOperator',
            summary: 'Creates a new link for a new password and a new authenticator app',
            description:
              'A new link, for a new password and a new authenticator app. The existing ones, and passkeys, keep working until it is used.',
            params,
            response: { 200: invitedSchema, ...errors(404) },
            examples: { parameters: { id: operatorId }, answers: { 200: invited } },
          },
        },
        async (request, reply) => {
          const invited = await manage.invite(request.params.id, callerOf(request).by())
          if ('refused' in invited) return refuse(reply, invited.refused)
          return { url: linkOf(publicUrl(), invited.secret), expiresAt: isoAt(invited.expiresAt) }
        },
      )
    },
  })
}
