import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import packageJson from '../../../../../../package.json' with { type: 'json' }
import type { OperatorCaller } from '../../../../../app/operator/callers.ts'
import { isoAt } from '../../../../../core/ingest/event-time.ts'
import { firstSignInFields, invitationFields, signInFields } from '../../../../../core/operator/operator-schema.ts'
import { endOf, type OperatorSession, SESSION_ABSOLUTE_MS } from '../../../../../core/operator/session.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { callerOf } from '../../admission/caller.ts'
import { credentialOf, FORGET_COOKIE, keepCookie } from '../../admission/credential.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { acceptedSchema, currentSchema, meSchema, offerSchema, signedInSchema } from '../schemas/session.ts'

const PATH = '/v1/operator/session'
const nothing = z.null()

const browserOf = ({ 'user-agent': browser = '' }: IncomingHttpHeaders): string => browser

/** `who`: the signed-in operator, or the token. */
function meOf({ actor, grant, login, session, expiresAt }: OperatorCaller, parts: OperatorParts) {
  const { siteName, node } = parts
  return {
    ...actor,
    login,
    ...grant,
    expiresAt: isoAt(expiresAt),
    idleUntil: isoAt(session === null ? expiresAt : endOf(session)),
    site: { name: siteName, version: packageJson.version, publicUrl: parts.publicUrl() || null, node },
  }
}

type SignedIn = {
  readonly secret: string
  readonly session: OperatorSession
  readonly operator: { readonly id: string; readonly name: string; readonly login: string } & OperatorCaller['grant']
}

/** The answer to a browser that has just signed in, with the cookie. */
function welcome(reply: FastifyReply, { secret, session, operator }: SignedIn, parts: OperatorParts) {
  const { id, name, login, role, applications } = operator
  reply.header('set-cookie', keepCookie(secret, SESSION_ABSOLUTE_MS))
  const actor = { kind: 'operator', id, name } as const
  return meOf({ actor, grant: { role, applications }, login, session, expiresAt: session.expiresAt }, parts)
}

/** Signing in to the console and out of it (rules.md#operators). */
export const sessionRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { callers, signIn, firstSignIn } = parts.operator

  /**
   * The same browser: its earlier session must not stay in the list of sessions. A sign-in succeeds even if the store
   * could not end that one: its code cannot be used a second time.
   */
  const endEarlier = async (request: Pick<FastifyRequest, 'headers' | 'ip'>): Promise<void> => {
    const earlier = credentialOf(request.headers)
    if (earlier?.kind !== 'cookie') return
    await callers
      .endEarlier(earlier, request.ip)
      .catch((error) => parts.log.warn({ err: error }, 'the earlier session of a browser could not be ended'))
  }

  return operatorFamily(parts, {
    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'anyone' },
          schema: {
            summary: 'Signs in to the console',
            body: signInFields,
            response: { 200: signedInSchema, ...bodyErrors, ...errors(401) },
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
          return { ...welcome(reply, signedIn, parts.operator), recoveryCodesLeft }
        },
      )

      scope.post(
        `${PATH}/first/look`,
        {
          config: { action: 'anyone' },
          schema: {
            summary: 'Shows who a link for the first sign-in is for',
            body: invitationFields,
            response: { 200: offerSchema, ...bodyErrors, ...errors(404) },
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
            summary: 'Sets password and authenticator app with the link, and signs in',
            body: firstSignInFields,
            response: { 200: acceptedSchema, ...bodyErrors, ...errors(404) },
          },
        },
        async (request, reply) => {
          const visitor = { address: request.ip, browser: browserOf(request.headers) }
          const accepted = await firstSignIn.accept(request.body, visitor)
          if (!('refused' in accepted)) {
            await endEarlier(request)
            return { ...welcome(reply, accepted, parts.operator), recoveryCodes: accepted.recoveryCodes }
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
          schema: { summary: 'Who is signed in', response: { 200: meSchema } },
        },
        async (request) => meOf(callerOf(request), parts.operator),
      )

      scope.get(
        `${PATH}/current`,
        {
          config: { action: 'own', tellsStrangers: { signedIn: false } },
          schema: { summary: 'Whether anyone is signed in, and who', response: { 200: currentSchema } },
        },
        async (request) => ({ ...meOf(callerOf(request), parts.operator), signedIn: true as const }),
      )

      scope.delete(
        PATH,
        { config: { action: 'own' }, schema: { summary: 'Signs out', response: { 204: nothing } } },
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
