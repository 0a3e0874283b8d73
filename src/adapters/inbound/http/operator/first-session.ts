import type { FastifyReply, FastifyRequest } from 'fastify'
import type { NotChosen } from '../../../../app/operator/first-credentials.ts'
import type { Accepted } from '../../../../app/operator/first-sign-in.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import type { Refuse } from '../refusals.ts'
import { endEarlier, meSchema, type Site, welcome } from './me.ts'
import { recoveryCodesSchema } from './own-account.ts'

// Shared by the two links for an operator's first sign-in: that of an invitation, and that
// of a site without operators.

export const firstSessionSchema = meSchema.extend(recoveryCodesSchema.shape)

/** The authenticator app of the examples. */
export const exampleApp = {
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  otpauthUri: 'otpauth://totp/sos.example.org:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=sos.example.org',
}

/** The answer to a link: its offer. */
export const offerAnswer = <O extends { readonly totpLink: string; readonly expiresAt: number }>({
  totpLink: otpauthUri,
  expiresAt,
  ...shown
}: O) => ({ ...shown, otpauthUri, expiresAt: isoAt(expiresAt) })

type Asked = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly refuse: Refuse<'weak_password' | 'wrong_code'>
}

/** The answer to credentials that were chosen with a link: a session in place of earlier ones, or what to choose. */
export async function firstSession(
  needs: OperatorAdmission & Site,
  accepted: Accepted | NotChosen,
  { request, reply, refuse }: Asked,
) {
  if (!('refused' in accepted)) {
    await endEarlier(needs, request)
    return { ...welcome(reply, accepted, needs), recoveryCodes: accepted.recoveryCodes }
  }
  switch (accepted.refused) {
    case 'weak_password':
      return refuse(reply, 'weak_password', { message: accepted.why })
    case 'wrong_code':
      return refuse(reply, 'wrong_code', { now: isoAt(accepted.now) })
    default:
      return accepted satisfies never
  }
}
