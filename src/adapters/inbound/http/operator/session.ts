import { z } from 'zod'
import type { signingIn } from '../../../../app/operator/sign-in.ts'
import { signInFields } from '../../../../core/operator/operator-schema.ts'
import { callerOf } from '../admission/caller.ts'
import { FORGET_COOKIE } from '../admission/credential.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { endEarlier, exampleMe, meOf, meSchema, type Site, visitorOf, welcome } from './me.ts'

const PATH = '/v1/operator/session'

/** Pages ask this before they show anything: that nobody is signed in is an answer, not an error. */
export const currentSchema = z
  .discriminatedUnion('signedIn', [
    meSchema.extend({ signedIn: z.literal(true) }),
    z.object({ signedIn: z.literal(false) }),
  ])
  .meta({ id: 'OperatorCurrent', description: 'Who is signed in, if anyone' })

export const signedInSchema = meSchema.extend({ recoveryCodesLeft: z.int() })

export const signInRefusals = {
  sign_in_refused: {
    kind: 'UNAUTHORIZED',
    message: 'Login, password or code is wrong. Each code works once; wait for the next one.',
  },
} as const satisfies Refusals

type Needs = OperatorAdmission &
  Site & {
    readonly signIn: ReturnType<typeof signingIn>
  }

/** Signing in to the console and out of it (access.md#operators). */
export const operatorSessionRoutes = (needs: Needs) => {
  const { callers, signIn } = needs

  return family('OPERATOR', needs, {
    refusals: signInRefusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'signIn',
            summary: 'Signs in to the console',
            description:
              'Sets the cookie of a session. Needs login, password and a code of the authenticator app or a recovery code, each of which works once. Every 401 is the same, whichever of them is wrong. 429 says how long to wait; nobody is ever locked out.',
            body: signInFields,
            response: { 200: signedInSchema, ...bodyErrors, ...errors(401) },
            examples: {
              body: { login: 'ana', password: 'correct horse battery', code: '287082' },
              answers: { 200: { ...exampleMe, recoveryCodesLeft: 8 } },
            },
          },
        },
        async (request, reply) => {
          const signedIn = await signIn(request.body, visitorOf(request))
          if ('refused' in signedIn) return refuse(reply, signedIn.refused, later(signedIn))
          await endEarlier(needs, request)
          const { recoveryCodesLeft } = signedIn
          return { ...welcome(reply, signedIn, needs), recoveryCodesLeft }
        },
      )
    },

    bodiless(scope) {
      scope.get(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'getOperatorSession',
            summary: 'Who is signed in',
            description: 'The operator or API token that makes the request, what they may do, and for how long.',
            response: { 200: meSchema },
            examples: { answers: { 200: exampleMe } },
          },
        },
        async (request) => meOf(callerOf(request), needs),
      )

      scope.get(
        `${PATH}/current`,
        {
          config: { action: 'own', tellsStrangers: { signedIn: false } },
          schema: {
            operationId: 'getCurrentSession',
            summary: 'Whether anyone is signed in, and who',
            description:
              'As getOperatorSession, for a page that does not know yet whether anyone is signed in: without a valid session or token the answer is 200 with `signedIn: false`. A wrong cookie is removed, and slowed down as elsewhere.',
            response: { 200: currentSchema },
            examples: { answers: { 200: { ...exampleMe, signedIn: true } } },
          },
        },
        async (request) => ({ ...meOf(callerOf(request), needs), signedIn: true as const }),
      )

      scope.delete(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'signOut',
            summary: 'Signs out',
            description: 'Ends the session of the request and removes its cookie.',
            response: { 204: z.null() },
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          // A session that was revoked a moment ago has ended, too.
          if (caller.session !== null) await callers.endSession(caller, caller.session.id, caller.address)
          return reply.code(204).header('set-cookie', FORGET_COOKIE).send(null)
        },
      )
    },
  })
}
