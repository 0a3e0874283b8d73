import { z } from 'zod'
import type { ownPhone } from '../../../../app/user/own-phone.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { wideNetworkOf } from '../../../../lib/network-of.ts'
import { sessionOf } from '../admission/session.ts'
import { tooMany } from '../admission/throttle.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { type Refusals, secondsUntil } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'

const PATH = '/v1/sdk/me'

const sentSchema = z
  .object({ expiresAt: z.iso.datetime() })
  .meta({ id: 'PhoneCodeSent', description: 'Until when the code counts' })
const proofSchema = z
  .object({
    phoneProvedAt: z.iso.datetime(),
    smsCode: z.string().meta({ description: 'Four digits for an SOS by SMS' }),
  })
  .meta({ id: 'PhoneProof', description: 'The proof of the number' })

const refusals = {
  no_phone: { kind: 'CONFLICT', message: 'The profile has no phone number. Set one with PUT /v1/sdk/me first.' },
  no_proof: { kind: 'CONFLICT', message: 'The number is not proved yet.' },
  wrong_code: { kind: 'VALIDATION', message: 'The code is wrong or no longer counts. Ask for a new one.' },
} as const satisfies Refusals

const proof = { phoneProvedAt: '2026-03-01T09:10:00.000Z', smsCode: '4711' }

type Needs = UserAdmission & {
  readonly ownPhone: Pick<ReturnType<typeof ownPhone>, 'ask' | 'prove' | 'changeCode'>
}

/** The proof of the user's own number. preparing.md#phone-proof. */
export const phoneRoutes = (needs: Needs) => {
  const { ownPhone } = needs
  return family('PROFILE', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.post(
        `${PATH}/phone/code`,
        {
          schema: {
            operationId: 'sendPhoneCode',
            summary: 'Sends a code to the number of the profile, to prove it',
            description:
              'Sends six digits by SMS to the `phone` of the profile, behind every alarm. The newest code counts for 30 min. 409 without a number. 429 with `Retry-After` after one in the last minute, 5 of a user or 3 to a number in 24 h; a network from which nobody has asked for this number may have one more.',
            response: { 202: sentSchema, ...errors(400, 409) },
            examples: { answers: { 202: { expiresAt: '2026-03-01T09:40:00.000Z' } } },
          },
        },
        async (request, reply) => {
          const asked = await ownPhone.ask(sessionOf(request), wideNetworkOf(request.ip))
          if (!('refused' in asked)) return reply.code(202).send(asked)
          if (asked.refused !== 'code_limit') return refuse(reply, asked.refused)
          return tooMany(reply, 'PROFILE', secondsUntil(asked.retryAfterMs))
        },
      )
    },

    json(scope, refuse) {
      scope.post(
        `${PATH}/phone/proof`,
        {
          schema: {
            operationId: 'provePhone',
            summary: 'Proves the number of the profile with the code sent to it',
            description:
              'The number counts as proved while it is that of the profile. A proof by another user takes it: that profile says `phoneTakenAt`. 400 for a wrong code, one that is older than 30 min, and after five wrong ones.',
            body: z.object({ code: z.string().regex(/^\d{6}$/, 'must be the six digits') }).meta({ id: 'PhoneCode' }),
            response: { 200: proofSchema, ...bodyErrors },
            examples: { body: { code: '123456' }, answers: { 200: proof } },
          },
        },
        async (request, reply) => {
          const proved = await ownPhone.prove(sessionOf(request), request.body.code)
          if ('refused' in proved) return refuse(reply, proved.refused)
          return { phoneProvedAt: isoAt(proved.proof.provedAt), smsCode: proved.proof.code }
        },
      )

      scope.post(
        `${PATH}/sms-code`,
        {
          schema: {
            operationId: 'changeSmsCode',
            summary: 'Changes the four digits of an SOS by SMS',
            description:
              'With the four digits an SOS by SMS from the proved number is the user’s own. Without `smsCode`, new ones are drawn. 409 without a proved number.',
            body: z
              .object({
                smsCode: z
                  .string()
                  .regex(/^\d{4}$/, 'must be four digits')
                  .nullish(),
              })
              .meta({ id: 'SmsCodeChange' }),
            response: { 200: proofSchema, ...bodyErrors, ...errors(409) },
            examples: { body: { smsCode: '4711' }, answers: { 200: proof } },
          },
        },
        async (request, reply) => {
          const changed = await ownPhone.changeCode(sessionOf(request), request.body.smsCode ?? null)
          if ('refused' in changed) return refuse(reply, changed.refused)
          return { phoneProvedAt: isoAt(changed.provedAt), smsCode: changed.code }
        },
      )
    },
  })
}
