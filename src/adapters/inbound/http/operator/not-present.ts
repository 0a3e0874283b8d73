import type { FastifyReply } from 'fastify'
import type { NotPresent } from '../../../../app/operator/presence.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { Caller } from '../admission/caller.ts'
import { later, type Refusals, type Refuse } from '../refusals.ts'

/** Refusals of a password or a code that is entered again. */
export const presenceRefusals = {
  wrong_password: { kind: 'FORBIDDEN', message: 'The current password is wrong.' },
  wrong_passkey: { kind: 'FORBIDDEN', message: 'This passkey was not accepted. Try again, or use the password.' },
  not_for_tokens: { kind: 'FORBIDDEN', message: 'An API token has no password, no passkeys and no recovery codes.' },
} as const satisfies Refusals

/** Why a proof failed. */
export function notPresent(
  reply: FastifyReply,
  refuse: Refuse<NotPresent['refused']>,
  why: NotPresent,
  { by }: Pick<Caller, 'by'>,
) {
  switch (why.refused) {
    case 'too_many_attempts':
      return refuse(reply, why.refused, later(why))
    case 'wrong_code':
      return refuse(reply, why.refused, { now: isoAt(by().now) })
    case 'wrong_password':
    case 'wrong_passkey':
    case 'not_for_tokens':
      return refuse(reply, why.refused)
    default:
      return why satisfies never
  }
}
