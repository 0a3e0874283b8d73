import { z } from 'zod'
import type { firstAdministrator } from '../../../../app/operator/first-administrator.ts'
import { setupFields, setupLookFields } from '../../../../core/operator/operator-schema.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { invitation } from './examples.ts'
import { exampleApp, firstSession, firstSessionSchema, offerAnswer } from './first-session.ts'
import { exampleMe, type Site, visitorOf } from './me.ts'

const PATH = '/v1/operator/session/setup'
/** Nobody has chosen a login yet. */
const NO_LOGIN = 'admin'

export const setupOfferSchema = z.object({
  login: z.string(),
  totpSecret: z
    .string()
    .meta({ description: 'Base32, new with each look: for an authenticator app, and to send back' }),
  otpauthUri: z.string().meta({ description: 'the same for a QR code' }),
  expiresAt: z.iso.datetime(),
})

/** Says the same of a site with operators, so that a stranger learns nothing about it. */
const refusals = {
  setup_not_found: {
    kind: 'NOT_FOUND',
    message:
      'This address has been used, has expired or was replaced. For a new one restart Tocsin, or run on the server: tocsin operator add LOGIN --role admin',
  },
} as const satisfies Refusals

const offer = {
  login: 'ana',
  ...exampleApp,
  expiresAt: '2026-05-02T14:08:12.000Z',
}

type Needs = OperatorAdmission & Site & { readonly firstAdministrator: ReturnType<typeof firstAdministrator> }

/** The first administrator of a site without operators (access.md#operators). */
export const operatorSetupRoutes = (needs: Needs) => {
  const { firstAdministrator } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        `${PATH}/look`,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'lookAtSetup',
            summary: 'Shows whether the address for the first administrator works',
            description:
              'Answers with a secret for the authenticator app of `login`. Nothing is stored. The secret of the address is sent in the body: addresses are written to the logs of proxies. Every 404 is the same, also on a site that has operators.',
            body: setupLookFields,
            response: { 200: setupOfferSchema, ...bodyErrors, ...errors(404) },
            examples: { body: { setup: invitation, login: 'ana' }, answers: { 200: offer } },
          },
        },
        async (request, reply) => {
          const { setup, login = NO_LOGIN } = request.body
          const offered = await firstAdministrator.offer({ setup, login })
          if ('refused' in offered) return refuse(reply, offered.refused)
          return offerAnswer(offered)
        },
      )

      scope.post(
        PATH,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'setUpSite',
            summary: 'Makes the first administrator, and signs in',
            description:
              'Uses the address up: adds an administrator of the whole site, proves the authenticator app with a code and opens a session. Answers with the recovery codes, which are shown once. 404 if there is any operator by then.',
            body: setupFields,
            response: { 200: firstSessionSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: {
                setup: invitation,
                login: 'ana',
                name: 'Ana',
                password: 'correct horse battery',
                totpSecret: offer.totpSecret,
                code: '287082',
              },
              answers: {
                200: { ...exampleMe, role: 'admin', recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] },
              },
            },
          },
        },
        async (request, reply) => {
          const accepted = await firstAdministrator.accept(request.body, visitorOf(request))
          if ('refused' in accepted && accepted.refused === 'setup_not_found') return refuse(reply, accepted.refused)
          return firstSession(needs, accepted, { request, reply, refuse })
        },
      )
    },
  })
}
