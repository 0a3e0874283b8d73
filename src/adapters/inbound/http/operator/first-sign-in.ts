import { z } from 'zod'
import type { firstSignIn } from '../../../../app/operator/first-sign-in.ts'
import { firstSignInFields, invitationFields } from '../../../../core/operator/operator-schema.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { invitation } from './examples.ts'
import { exampleApp, firstSession, firstSessionSchema, offerAnswer } from './first-session.ts'
import { exampleMe, type Site, visitorOf } from './me.ts'

const PATH = '/v1/operator/session/first'

export const offerSchema = z.object({
  login: z.string(),
  name: z.string(),
  totpSecret: z.string().meta({ description: 'Base32, to type into an authenticator app' }),
  otpauthUri: z.string().meta({ description: 'the same for a QR code' }),
  expiresAt: z.iso.datetime(),
})

const refusals = {
  invitation_not_found: {
    kind: 'NOT_FOUND',
    message: 'This link has been used, has expired or was replaced. Ask for a new one.',
  },
} as const satisfies Refusals

const offer = {
  login: 'ana',
  name: 'Ana',
  ...exampleApp,
  expiresAt: '2026-05-04T14:08:12.000Z',
}

type Needs = OperatorAdmission & Site & { readonly firstSignIn: ReturnType<typeof firstSignIn> }

/** The first sign-in with an invitation link (access.md#operators). */
export const operatorFirstSignInRoutes = (needs: Needs) => {
  const { firstSignIn } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/look`,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'lookAtInvitation',
            summary: 'Shows who a link for the first sign-in is for',
            description:
              'What the link for the first sign-in offers. The secret of the link is sent in the body: addresses are written to the logs of proxies.',
            body: invitationFields,
            response: { 200: offerSchema, ...bodyErrors, ...errors(404) },
            examples: { body: { invitation: invitation }, answers: { 200: offer } },
          },
        },
        async (request, reply) => {
          const offer = await firstSignIn.offer(request.body.invitation)
          if ('refused' in offer) return refuse(reply, offer.refused)
          return offerAnswer(offer)
        },
      )

      scope.post(
        PATH,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'acceptInvitation',
            summary: 'Sets password and authenticator app with the link, and signs in',
            description:
              'Uses the link up: sets the password, proves the authenticator app with a code, ends all earlier sessions and opens one. Answers with the recovery codes, which are shown once.',
            body: firstSignInFields,
            response: { 200: firstSessionSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: { invitation: invitation, password: 'correct horse battery', code: '287082' },
              answers: { 200: { ...exampleMe, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] } },
            },
          },
        },
        async (request, reply) => {
          const accepted = await firstSignIn.accept(request.body, visitorOf(request))
          if ('refused' in accepted && accepted.refused === 'invitation_not_found')
            return refuse(reply, accepted.refused)
          return firstSession(needs, accepted, { request, reply, refuse })
        },
      )
    },
  })
}
