// One file: signing in, by whichever step, is one conversation about one session.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { OperatorCaller } from '../../../../app/operator/callers.ts'
import type { firstSignIn } from '../../../../app/operator/first-sign-in.ts'
import type { signingIn } from '../../../../app/operator/sign-in.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { firstSignInFields, invitationFields, signInFields } from '../../../../core/operator/operator-schema.ts'
import { endOf, type OperatorSession, SESSION_ABSOLUTE_MS } from '../../../../core/operator/session.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { release } from '../../../../lib/release.ts'
import { callerOf } from '../admission/caller.ts'
import { credentialOf, FORGET_COOKIE, keepCookie } from '../admission/credential.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { exampleRelease, releaseShape } from '../schemas/release.ts'
import { invitation, operatorId } from './examples.ts'
import { recoveryCodesSchema } from './own-account.ts'
import { grantShape } from './scope.ts'

const PATH = '/v1/operator/session'

const moment = z.iso.datetime()

export const meSchema = z
  .object({
    kind: z.enum(['operator', 'token']),
    id: z.uuid(),
    name: z.string(),
    login: z.string().nullable().meta({ description: 'null for a token' }),
    ...grantShape,
    expiresAt: moment.meta({ description: 'when the session or token ends, even while it is in use' }),
    idleUntil: moment.meta({ description: 'when the session ends unless it is used' }),
    site: z.object({
      name: z.string(),
      ...releaseShape,
      publicUrl: z.string().nullable(),
      node: z.string().nullable().meta({ description: 'null where there is one node' }),
    }),
  })
  .meta({ id: 'OperatorMe', description: 'Who is signed in' })

/** Pages ask this before they show anything: that nobody is signed in is an answer, not an error. */
export const currentSchema = z
  .discriminatedUnion('signedIn', [
    meSchema.extend({ signedIn: z.literal(true) }),
    z.object({ signedIn: z.literal(false) }),
  ])
  .meta({ id: 'OperatorCurrent', description: 'Who is signed in, if anyone' })

const signedInSchema = meSchema.extend({ recoveryCodesLeft: z.int() })

export const offerSchema = z.object({
  login: z.string(),
  name: z.string(),
  totpSecret: z.string().meta({ description: 'Base32, to type into an authenticator app' }),
  otpauthUri: z.string().meta({ description: 'the same for a QR code' }),
  expiresAt: moment,
})

const acceptedSchema = meSchema.extend(recoveryCodesSchema.shape)

const refusals = {
  sign_in_refused: {
    kind: 'UNAUTHORIZED',
    message: 'Login, password or code is wrong. Each code works once; wait for the next one.',
  },
  invitation_not_found: {
    kind: 'NOT_FOUND',
    message: 'This link has been used, has expired or was replaced. Ask for a new one.',
  },
} as const satisfies Refusals

const me = {
  kind: 'operator',
  id: operatorId,
  name: 'Ana',
  login: 'ana',
  role: 'operator',
  applications: null,
  expiresAt: '2026-05-08T14:08:12.000Z',
  idleUntil: '2026-05-02T02:08:12.000Z',
  site: {
    name: 'sos.example.org',
    ...exampleRelease,
    publicUrl: 'https://sos.example.org',
    node: null,
  },
}

const offer = {
  login: 'ana',
  name: 'Ana',
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  otpauthUri: 'otpauth://totp/sos.example.org:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=sos.example.org',
  expiresAt: '2026-05-04T14:08:12.000Z',
}

/** This installation, as the answers show it. */
type Site = {
  /** As authenticator apps and the console show it. */
  readonly siteName: string
  /** The newest schema that this version knows of the store in use. */
  readonly schema: number
  /** The name of this node; null if it is the only one. */
  readonly node: string | null
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
}

type Needs = OperatorAdmission &
  Site & {
    readonly signIn: ReturnType<typeof signingIn>
    readonly firstSignIn: ReturnType<typeof firstSignIn>
  }

const browserOf = ({ 'user-agent': browser = '' }: IncomingHttpHeaders): string => browser

/** `who`: the signed-in operator, or the token. */
function meOf(
  { actor, grant, login, session, expiresAt }: OperatorCaller,
  { siteName, schema, node, publicUrl }: Site,
) {
  return {
    ...actor,
    login,
    ...grant,
    expiresAt: isoAt(expiresAt),
    idleUntil: isoAt(session === null ? expiresAt : endOf(session)),
    site: { name: siteName, ...release, schema, publicUrl: publicUrl() || null, node },
  }
}

type SignedIn = {
  readonly secret: string
  readonly session: OperatorSession
  readonly operator: { readonly id: string; readonly name: string; readonly login: string } & OperatorCaller['grant']
}

/** The answer to a browser that has just signed in, with the cookie. */
function welcome(reply: FastifyReply, { secret, session, operator }: SignedIn, site: Site) {
  const { id, name, login, role, applications } = operator
  reply.header('set-cookie', keepCookie(secret, SESSION_ABSOLUTE_MS))
  const actor = { kind: 'operator', id, name } as const
  return meOf({ actor, grant: { role, applications }, login, session, expiresAt: session.expiresAt }, site)
}

/** Signing in to the console and out of it (access.md#operators). */
export const operatorSessionRoutes = (needs: Needs) => {
  const { callers, log, signIn, firstSignIn } = needs

  /**
   * The same browser: its earlier session must not stay in the list of sessions. A sign-in succeeds even if the store
   * could not end that one: its code cannot be used a second time.
   */
  const endEarlier = async (request: Pick<FastifyRequest, 'headers' | 'ip'>): Promise<void> => {
    const earlier = credentialOf(request.headers)
    if (earlier?.kind !== 'cookie') return
    await callers
      .endEarlier(earlier, request.ip)
      .catch((error) => log.warn({ err: error }, 'the earlier session of a browser could not be ended'))
  }

  return family('OPERATOR', needs, {
    refusals,

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
              answers: { 200: { ...me, recoveryCodesLeft: 8 } },
            },
          },
        },
        async (request, reply) => {
          const signedIn = await signIn(request.body, { address: request.ip, browser: browserOf(request.headers) })
          if ('refused' in signedIn) {
            const seconds = 'retryAfterMs' in signedIn ? Math.ceil(signedIn.retryAfterMs / SECOND) : null
            return refuse(reply, signedIn.refused, seconds === null ? {} : { headers: { 'retry-after': `${seconds}` } })
          }
          await endEarlier(request)
          const { recoveryCodesLeft } = signedIn
          return { ...welcome(reply, signedIn, needs), recoveryCodesLeft }
        },
      )

      scope.post(
        `${PATH}/first/look`,
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
          const { totpLink: otpauthUri, expiresAt, ...shown } = offer
          return { ...shown, otpauthUri, expiresAt: isoAt(expiresAt) }
        },
      )

      scope.post(
        `${PATH}/first`,
        {
          config: { action: 'anyone' },
          schema: {
            operationId: 'acceptInvitation',
            summary: 'Sets password and authenticator app with the link, and signs in',
            description:
              'Uses the link up: sets the password, proves the authenticator app with a code, ends all earlier sessions and opens one. Answers with the recovery codes, which are shown once.',
            body: firstSignInFields,
            response: { 200: acceptedSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: { invitation: invitation, password: 'correct horse battery', code: '287082' },
              answers: { 200: { ...me, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] } },
            },
          },
        },
        async (request, reply) => {
          const visitor = { address: request.ip, browser: browserOf(request.headers) }
          const accepted = await firstSignIn.accept(request.body, visitor)
          if (!('refused' in accepted)) {
            await endEarlier(request)
            return { ...welcome(reply, accepted, needs), recoveryCodes: accepted.recoveryCodes }
          }
          switch (accepted.refused) {
            case 'weak_password':
              return refuse(reply, 'weak_password', { message: accepted.why })
            case 'wrong_code':
              return refuse(reply, 'wrong_code', { now: isoAt(accepted.now) })
            case 'invitation_not_found':
              return refuse(reply, 'invitation_not_found')
            default:
              return accepted satisfies never
          }
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
            examples: { answers: { 200: me } },
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
            examples: { answers: { 200: { ...me, signedIn: true } } },
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
