import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { operatorCallers } from '../../../../app/operator/callers.ts'
import { type Action, asksAgain, isOwn, mayDo, type OwnAction } from '../../../../core/operator/role.ts'
import { isProved } from '../../../../core/operator/session.ts'
import { answer, type FamilyName } from '../problem.ts'
import { operatorProblem, type Refusals, refusing } from '../refusals.ts'
import type { FamilyAdmission, Logging } from './admission.ts'
import type { Caller } from './caller.ts'
import { type Credential, credentialOf, FORGET_COOKIE } from './credential.ts'
import { isOwnPage, isSecurePage } from './origin.ts'
import { throttleOf, tooMany } from './throttle.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The action of a route of the operator API, in the words of role.ts: the caller needs the role for it, and a proof
     * if role.ts says so. `own…`: anyone who is signed in, about themselves. `anyone`: without a sign-in, for the page
     * of the console.
     */
    action?: Action | OwnAction | 'anyone'
    /** Answers a caller who is not signed in, instead of a 401 and after the same limits. */
    tellsStrangers?: object
  }
}

const refusals = {
  signed_out: {
    kind: 'UNAUTHORIZED',
    message: 'You are not signed in, or your session has ended. Sign in again.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  proof_needed: {
    kind: 'FORBIDDEN',
    message:
      'Confirm with your password, a code or a passkey first (POST /v1/operator/session/proof); this is valid for ten minutes.',
  },
  https_needed: {
    kind: 'FORBIDDEN',
    message:
      'Without TLS, browsers stay signed in only at http://localhost. Open the console with https://, or on the machine itself.',
  },
  not_own_page: {
    kind: 'FORBIDDEN',
    message:
      'This request did not come from the console. It needs X-Tocsin-Console: 1 and an Origin of this host or of publicUrl; scripts use an API token.',
  },
  not_allowed: { kind: 'FORBIDDEN', message: 'Your role does not allow this.' },
} as const satisfies Refusals

const isRead = (method: string | readonly string[]): boolean => method === 'GET' || method === 'HEAD'

/** Added in OpenAPI to the description of a route that asks again. */
const ASKS_AGAIN =
  '403 `proof_needed` where the last proof of the session is older than ten minutes (`POST /v1/operator/session/proof`).'

/** Needs of the admission of operators. */
export type OperatorAdmission = Logging & {
  readonly callers: ReturnType<typeof operatorCallers>
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
}

/**
 * Requests to the operator API (protocol.md#operator-api). Each route names its action in its `config`; without one the
 * service does not start. Before a body is read, the caller is known (`callerOf`), may do this in some application, and
 * sends it from the console itself or with an API token. The route checks the application (`caller.may`).
 */
export const operators: FamilyAdmission<OperatorAdmission> = {
  admit,
  describe({ url, method, config: { action } = {} }) {
    if (action === undefined) throw new TypeError(`${url} names no action`)
    if (action === 'anyone') return { statuses: [403, 429] }
    return {
      security: [{ operatorSession: [] }, { operatorToken: [] }],
      statuses: [401, 403, 429],
      ...(!isRead(method) && asksAgain(action) && { note: ASKS_AGAIN }),
    }
  },
}

function admit(scope: FastifyInstance, family: FamilyName, { callers, publicUrl }: OperatorAdmission): void {
  const refuse = refusing(family, refusals)
  const { operator: limits, slowDown } = throttleOf(scope)

  const refuseStranger = async (request: FastifyRequest, reply: FastifyReply, given: Credential | null) => {
    const seconds = await limits.stranger(request)
    if (seconds !== null) return tooMany(reply, family, seconds)
    if (given !== null) await slowDown(request)
    const headers = given?.kind === 'cookie' ? { 'set-cookie': FORGET_COOKIE } : {}
    const { tellsStrangers } = request.routeOptions.config
    if (tellsStrangers !== undefined) return reply.headers(headers).send(tellsStrangers)
    return refuse(reply, 'signed_out', { headers })
  }

  scope.decorateRequest('operatorCaller', null)
  scope.addHook('onRequest', async (request, reply) => {
    const { action } = request.routeOptions.config
    const credential = credentialOf(request.headers)
    if (action === 'anyone') {
      const seconds = await limits.visitor(request)
      if (seconds !== null) return tooMany(reply, family, seconds)
    }
    if (action === 'anyone' || credential?.kind === 'cookie') {
      if (!isOwnPage(request, publicUrl())) return refuse(reply, 'not_own_page')
      if (!isSecurePage(request)) return refuse(reply, 'https_needed')
    }
    if (action === 'anyone' || action === undefined) return
    const isPersons = request.headers['x-tocsin-console'] === '1'
    const known = credential === null ? null : await callers.of(credential, { isPersons })
    if (known === null) return refuseStranger(request, reply, credential)
    const { actor, grant } = known
    const changes = !isRead(request.method)
    const turns = changes ? limits.turns.changes : limits.turns.reads
    const address = request.ip
    request.setDecorator<Caller>('operatorCaller', {
      ...known,
      address,
      by: () => ({ actor, address, now: callers.now() }),
      async inTurn(work, options) {
        // Wrapped, because null says that there was no turn.
        const done = await turns.run(actor.id, async () => ({ result: await work() }), options)
        if (done === null) throw operatorProblem('too_many_at_once')
        return done.result
      },
      may: (appId) => isOwn(action) || mayDo(grant, action, appId),
    })
    const seconds = await limits.caller(request)
    if (seconds !== null) return tooMany(reply, family, seconds)
    // Another tab of the browser has signed somebody else in since: this page is no longer signed in.
    const pageOf = request.headers['x-tocsin-operator']
    if (credential?.kind === 'cookie' && pageOf !== undefined && pageOf !== actor.id) return refuse(reply, 'signed_out')
    if (!isOwn(action) && !mayDo(grant, action, null)) return refuse(reply, 'not_allowed')
    // No id has one, and PostgreSQL fails over it: a path could fill the log with faults of the store.
    if (Object.values(request.params as object).some((value) => String(value).includes('\0'))) {
      return answer(reply, family, { kind: 'NOT_FOUND', message: 'There is nothing under this id.' })
    }
    if (changes && asksAgain(action) && known.session !== null && !isProved(known.session, callers.now())) {
      return refuse(reply, 'proof_needed')
    }
  })
}
