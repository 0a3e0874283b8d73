import { z } from 'zod'
import { isoAt } from '../../../../../core/ingest/event-time.ts'
import type { AuditRow } from '../../../../../core/operator/audit.ts'
import type { Operator } from '../../../../../core/operator/operator.ts'
import {
  newOperatorFields,
  newTokenFields,
  operatorUpdateFields,
} from '../../../../../core/operator/operator-schema.ts'
import type { ApiToken } from '../../../../../core/operator/session.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { pageQueryOf, pageSchema } from '../../schemas/page.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import {
  auditFilterOf,
  auditQuery,
  auditRowSchema,
  invitedSchema,
  listOf,
  operatorSchema,
  tokenSchema,
} from '../schemas/account.ts'
import { pageOf } from '../scope.ts'

const nothing = z.null()
const params = z.object({ id: z.string().max(100) })
const isoOrNull = (at: number | null): string | null => (at === null ? null : isoAt(at))

const operatorView = ({ createdAt, updatedAt, signedInAt, ...operator }: Operator) => ({
  ...operator,
  createdAt: isoAt(createdAt),
  updatedAt: isoAt(updatedAt),
  signedInAt: isoOrNull(signedInAt),
})

const tokenView = ({ createdAt, expiresAt, usedAt, ...token }: ApiToken) => ({
  ...token,
  createdAt: isoAt(createdAt),
  expiresAt: isoAt(expiresAt),
  usedAt: isoOrNull(usedAt),
})

const auditView = ({ at, appId, ...row }: AuditRow) => ({ ...row, at: isoAt(at), applicationId: appId })

type Parts = Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }

/** The secret stands behind `#`, which browsers send to nobody: no proxy has it in its log. */
const linkOf = (base: string, secret: string): string => `${base}/console/#invitation=${secret}`

/** Operators, API tokens and the audit log: for admins of the site. */
export const managementRoutes = (parts: Parts) => {
  const { manage, publicUrl } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      const config = { action: 'operator.manage' } as const
      scope.post(
        '/v1/operator/operators',
        {
          config,
          schema: {
            summary: 'Adds an operator',
            body: newOperatorFields,
            response: { 201: operatorSchema.extend(invitedSchema.shape), ...bodyErrors, ...errors(409) },
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
        '/v1/operator/operators/:id',
        {
          config,
          schema: {
            summary: 'Changes, disables or enables an operator',
            params,
            body: operatorUpdateFields,
            response: { 200: operatorSchema, ...bodyErrors, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          const updated = await manage.update(id, withoutUndefined(request.body), callerOf(request).by())
          return 'refused' in updated ? refuse(reply, updated.refused) : operatorView(updated)
        },
      )

      scope.post(
        '/v1/operator/tokens',
        {
          config: { action: 'token.manage' },
          schema: {
            summary: 'Makes an API token',
            body: newTokenFields,
            response: { 201: tokenSchema.extend({ secret: z.string() }), ...bodyErrors, ...errors(409) },
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
        '/v1/operator/operators',
        {
          config: { action: 'operator.manage' },
          schema: { summary: 'Lists the operators', response: { 200: listOf(operatorSchema) } },
        },
        async () => ({ items: (await manage.operators()).map(operatorView) }),
      )

      scope.post(
        '/v1/operator/operators/:id/invitation',
        {
          config: { action: 'operator.manage' },
          schema: {
            summary: 'Creates a new link for a new password and a new authenticator app',
            params,
            response: { 200: invitedSchema, ...errors(404) },
          },
        },
        async (request, reply) => {
          const invited = await manage.invite(request.params.id, callerOf(request).by())
          if ('refused' in invited) return refuse(reply, invited.refused)
          return { url: linkOf(publicUrl(), invited.secret), expiresAt: isoAt(invited.expiresAt) }
        },
      )

      scope.get(
        '/v1/operator/tokens',
        {
          config: { action: 'token.manage' },
          schema: { summary: 'Lists the API tokens', response: { 200: listOf(tokenSchema) } },
        },
        async () => ({ items: (await manage.tokens()).map(tokenView) }),
      )

      scope.delete(
        '/v1/operator/tokens/:id',
        {
          config: { action: 'token.manage' },
          schema: { summary: 'Revokes an API token', params, response: { 204: nothing, ...errors(404) } },
        },
        async (request, reply) => {
          const revoked = await manage.revokeToken(request.params.id, callerOf(request).by())
          return 'refused' in revoked ? refuse(reply, revoked.refused) : reply.code(204).send(null)
        },
      )

      scope.get(
        '/v1/operator/audit',
        {
          config: { action: 'audit.view' },
          schema: {
            summary: 'Lists the audit log, newest first',
            querystring: auditQuery,
            response: { 200: pageSchema(auditRowSchema), ...errors(400) },
          },
        },
        async (request) => {
          const filter = auditFilterOf(request.query)
          return pageOf(
            await callerOf(request).inTurn(() => manage.audit(pageQueryOf(request.query), filter)),
            auditView,
          )
        },
      )
    },
  })
}

/** Fields that were not sent must not be set to `undefined`. */
const withoutUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
