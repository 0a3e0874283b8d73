import { z } from 'zod'
import type { passwordChange } from '../../../../app/operator/change-password.ts'
import type { operatorAccount } from '../../../../app/operator/operator-account.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { passwordChangeFields, proofFields } from '../../../../core/operator/operator-schema.ts'
import { endOf } from '../../../../core/operator/session.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { operatorId } from './examples.ts'
import { notPresent, presenceRefusals } from './not-present.ts'

const moment = z.iso.datetime()

export const sessionSchema = z
  .object({
    id: z.uuid(),
    createdAt: moment,
    seenAt: moment,
    endsAt: moment,
    address: z.string(),
    browser: z.string(),
    current: z.boolean().meta({ description: 'the session of this request' }),
  })
  .meta({ id: 'OperatorSession', description: 'A signed-in browser' })

const recoveryCodesLeftSchema = z.object({ left: z.int() })

export const recoveryCodesSchema = z.object({
  recoveryCodes: z.array(z.string()).readonly().meta({ description: 'To write down; shown once' }),
})

const refusals = {
  ...presenceRefusals,
  session_not_found: { kind: 'NOT_FOUND', message: 'There is no such session.' },
} as const satisfies Refusals

const session = {
  id: '0197f6a0-1c2d-7e3f-8a4b-0000000000c1',
  createdAt: '2026-05-01T14:08:12.000Z',
  seenAt: '2026-05-01T15:00:00.000Z',
  endsAt: '2026-05-02T03:00:00.000Z',
  address: '192.0.2.7',
  browser: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  current: true,
}

type Needs = OperatorAdmission & {
  readonly changePassword: ReturnType<typeof passwordChange>
  readonly account: ReturnType<typeof operatorAccount>
}

const nothing = z.null()
const params = z.object({ id: z.string().max(100) })

/** The caller's own sessions, password and recovery codes. */
export const operatorOwnAccountRoutes = (needs: Needs) => {
  const { callers, changePassword, account } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        '/v1/operator/password',
        {
          config: { action: 'own' },
          schema: {
            operationId: 'changePassword',
            summary: 'Changes the own password',
            description:
              'Sets a new password and ends the caller’s other sessions. The current one is required, and guessing it is slowed down (429). 400 `weak_password` says why.',
            body: passwordChangeFields,
            response: { 204: nothing, ...bodyErrors },
            examples: { body: { password: 'correct horse battery', newPassword: 'seven green lamps hum' } },
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
            operationId: 'proveSession',
            summary: 'Confirms again who is at the screen',
            description:
              'The password, a code of the authenticator app or a passkey once more (its challenge: `POST /v1/operator/session/passkey/challenge`). Changes that give lasting access, redirect an alarm, or stop somebody from raising one or being watched require it if the last proof is older than ten minutes: the description of each names 403 `proof_needed`. API tokens are not asked. Guessing is slowed (429).',
            body: proofFields,
            response: { 204: nothing, ...bodyErrors },
            examples: { body: { password: 'correct horse battery' } },
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
          schema: {
            operationId: 'countRecoveryCodes',
            summary: 'How many recovery codes are left',
            description: 'How many of the caller’s recovery codes have not been used. 403 `not_for_tokens`.',
            response: { 200: recoveryCodesLeftSchema },
            examples: { answers: { 200: { left: 7 } } },
          },
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
            operationId: 'renewRecoveryCodes',
            summary: 'Creates new recovery codes in place of the old ones',
            description: 'Eight new recovery codes, shown once; the old ones no longer work.',
            response: { 200: recoveryCodesSchema },
            examples: { answers: { 200: { recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] } } },
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
            operationId: 'listSessions',
            summary: 'Lists the caller’s sessions, most recently used first',
            description: 'The browsers in which the caller is signed in. Empty for an API token.',
            response: { 200: z.object({ items: z.array(sessionSchema).readonly() }) },
            examples: { answers: { 200: { items: [session] } } },
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
          schema: {
            operationId: 'endSession',
            summary: 'Ends one of the caller’s sessions',
            description: 'Signs another browser of the caller out, such as one that was left somewhere.',
            params,
            response: { 204: nothing, ...errors(404) },
            examples: { parameters: { id: operatorId } },
          },
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
