import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { NotPresent } from '../../../../../app/operator/presence.ts'
import { isoAt } from '../../../../../core/ingest/event-time.ts'
import { passwordChangeFields, proofFields } from '../../../../../core/operator/operator-schema.ts'
import { endOf } from '../../../../../core/operator/session.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { type Caller, callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import type { RefuseOperator } from '../family.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { listOf, recoveryCodesLeftSchema, sessionSchema } from '../schemas/account.ts'
import { recoveryCodesSchema } from '../schemas/session.ts'

const nothing = z.null()
const params = z.object({ id: z.string().max(100) })

type Parts = Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }

/** Why a proof failed. */
function notPresent(reply: FastifyReply, refuse: RefuseOperator, why: NotPresent, { by }: Pick<Caller, 'by'>) {
  switch (why.refused) {
    case 'too_many_attempts':
      return refuse(reply, why.refused, { headers: { 'retry-after': String(Math.ceil(why.retryAfterMs / SECOND)) } })
    case 'wrong_code':
      return refuse(reply, why.refused, { now: isoAt(by().now) })
    case 'wrong_password':
    case 'not_for_tokens':
      return refuse(reply, why.refused)
    default:
      return why satisfies never
  }
}

/** The caller's own sessions, password and recovery codes. */
export const ownAccountRoutes = (parts: Parts) => {
  const { callers, changePassword, account } = parts.operator
  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        '/v1/operator/password',
        {
          config: { action: 'own' },
          schema: {
            summary: 'Changes the own password',
            body: passwordChangeFields,
            response: { 204: nothing, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const changed = await changePassword(caller, request.body, caller.by())
          if (!('refused' in changed)) return reply.code(204).send(null)
          if (changed.refused === 'weak_password') return refuse(reply, 'weak_password', { message: changed.why })
          return notPresent(reply, refuse, changed, caller)
        },
      )

      scope.post(
        '/v1/operator/session/proof',
        {
          config: { action: 'own' },
          schema: {
            summary: 'Confirms again who is at the screen',
            body: proofFields,
            response: { 204: nothing, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const proved = await account.prove(caller, request.body, caller.by())
          return 'refused' in proved ? notPresent(reply, refuse, proved, caller) : reply.code(204).send(null)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/recovery-codes',
        {
          config: { action: 'own' },
          schema: { summary: 'How many recovery codes are left', response: { 200: recoveryCodesLeftSchema } },
        },
        async (request, reply) => {
          const left = await account.recoveryCodesLeft(callerOf(request))
          return 'refused' in left ? refuse(reply, left.refused) : left
        },
      )

      scope.post(
        '/v1/operator/recovery-codes',
        {
          config: { action: 'own.recovery_codes' },
          schema: {
            summary: 'Creates new recovery codes in place of the old ones',
            response: { 200: recoveryCodesSchema },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const renewed = await account.renewRecoveryCodes(caller, caller.by())
          return 'refused' in renewed ? refuse(reply, renewed.refused) : { recoveryCodes: renewed.codes }
        },
      )

      scope.get(
        '/v1/operator/sessions',
        {
          config: { action: 'own' },
          schema: {
            summary: 'Lists the caller’s sessions, most recently used first',
            response: { 200: listOf(sessionSchema) },
          },
        },
        async (request) => {
          const caller = callerOf(request)
          const items = (await callers.sessions(caller)).map((session) => ({
            id: session.id,
            createdAt: isoAt(session.createdAt),
            seenAt: isoAt(session.seenAt),
            endsAt: isoAt(endOf(session)),
            address: session.address,
            browser: session.browser,
            current: session.id === caller.session?.id,
          }))
          return { items }
        },
      )

      scope.delete(
        '/v1/operator/sessions/:id',
        {
          config: { action: 'own' },
          schema: { summary: 'Ends one of the caller’s sessions', params, response: { 204: nothing, ...errors(404) } },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const ended = await callers.endSession(caller, request.params.id, caller.address)
          return 'refused' in ended ? refuse(reply, ended.refused) : reply.code(204).send(null)
        },
      )
    },
  })
}
