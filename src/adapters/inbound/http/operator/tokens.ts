import { z } from 'zod'
import type { management } from '../../../../app/operator/management.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { newTokenFields } from '../../../../core/operator/operator-schema.ts'
import type { ApiToken } from '../../../../core/operator/session.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { invitation, operatorId } from './examples.ts'
import { grantShape } from './scope.ts'

const PATH = '/v1/operator/tokens'

const moment = z.iso.datetime()
export const tokenSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    ...grantShape,
    createdBy: z.string(),
    createdAt: moment,
    expiresAt: moment,
    usedAt: moment.nullable(),
  })
  .meta({ id: 'OperatorToken', description: 'An API token, without its secret' })

const params = z.object({ id: z.string().max(100) })

const refusals = {
  token_not_found: { kind: 'NOT_FOUND', message: 'There is no such token.' },
  token_limit: { kind: 'LIMIT', message: 'There are too many tokens. Revoke one first.' },
  token_end: { kind: 'VALIDATION', message: 'A token must end in the future, and no later than `latest`.' },
} as const satisfies Refusals

const apiToken = {
  id: '0197f6a0-1c2d-7e3f-8a4b-0000000000d1',
  name: 'wall',
  role: 'viewer',
  applications: null,
  createdBy: 'Ana',
  createdAt: '2026-05-01T14:08:12.000Z',
  expiresAt: '2027-01-01T00:00:00.000Z',
  usedAt: null,
}

type Needs = OperatorAdmission & {
  readonly manage: Pick<ReturnType<typeof management>, 'tokens' | 'addToken' | 'revokeToken'>
}

const tokenView = ({ createdAt, expiresAt, usedAt, ...token }: ApiToken) => ({
  ...token,
  createdAt: isoAt(createdAt),
  expiresAt: isoAt(expiresAt),
  usedAt: usedAt === null ? null : isoAt(usedAt),
})

/** API tokens, for scripts and wall screens: for admins of the site. protocol.md#operator-api. */
export const operatorTokenRoutes = (needs: Needs) => {
  const { manage } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'token.manage' },
          schema: {
            operationId: 'addToken',
            summary: 'Makes an API token',
            description:
              'Creates an API token for a script or a wall screen. `secret` is shown once. It expires within 400 days (400 `token_end` says when at the latest); there are at most 100.',
            body: newTokenFields,
            response: { 201: tokenSchema.extend({ secret: z.string() }), ...bodyErrors, ...errors(409) },
            examples: {
              body: { name: 'wall', role: 'viewer', applications: null, expiresAt: '2027-01-01T00:00:00Z' },
              answers: { 201: { ...apiToken, secret: `tocsin_${invitation}` } },
            },
          },
        },
        async (request, reply) => {
          const { expiresAt, ...given } = request.body
          const added = await manage.addToken({ ...given, expiresAt: Date.parse(expiresAt) }, callerOf(request).by())
          if (!('refused' in added)) {
            return reply.code(201).send({ ...tokenView(added.token), secret: added.secret })
          }
          return refuse(reply, added.refused, 'latest' in added ? { latest: isoAt(added.latest) } : {})
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'token.manage' },
          schema: {
            operationId: 'listTokens',
            summary: 'Lists the API tokens',
            description: 'All API tokens, newest first, without their secrets.',
            response: { 200: z.object({ items: z.array(tokenSchema).readonly() }) },
            examples: { answers: { 200: { items: [apiToken] } } },
          },
        },
        async () => ({ items: (await manage.tokens()).map(tokenView) }),
      )

      scope.delete(
        `${PATH}/:id`,
        {
          config: { action: 'token.manage' },
          schema: {
            operationId: 'revokeToken',
            summary: 'Revokes an API token',
            description: 'Ends a token with its next request, and a stream of it within two seconds.',
            params,
            response: { 204: z.null(), ...errors(404) },
            examples: { parameters: { id: operatorId } },
          },
        },
        async (request, reply) => {
          const revoked = await manage.revokeToken(request.params.id, callerOf(request).by())
          return 'refused' in revoked ? refuse(reply, revoked.refused) : reply.code(204).send(null)
        },
      )
    },
  })
}
