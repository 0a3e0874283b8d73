import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Action, asksAgain, isOwn, mayDo, type OwnAction } from '../../../../core/operator/role.ts'
import { isProved } from '../../../../core/operator/session.ts'
import { addRoutes, type FamilyRoutes } from '../family.ts'
import { answerFault } from '../faults.ts'
import type { HttpParts } from '../parts.ts'
import { answer } from '../problem.ts'
import { errors } from '../schemas/error.ts'
import { throttleOf, tooMany } from '../throttle.ts'
import type { Caller } from './caller.ts'
import { type Credential, credentialOf, FORGET_COOKIE } from './credential.ts'
import { isOwnPage, isSecurePage } from './origin.ts'
import type { OperatorParts } from './parts.ts'
import { operatorProblem, type RefuseOperator, refuseOperator } from './refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a route of the operator API does, in the words of role.ts: the caller needs the role for it, and where that
     * says so a proof. `own…`: anyone who is signed in, about themselves. `anyone`: without a sign-in, for the page of
     * the console.
     */
    action?: Action | OwnAction | 'anyone'
    /** What a caller who is not signed in gets instead of a 401, after the same limits. */
    tellsStrangers?: object
  }
}

const isRead = (method: string | readonly string[]): boolean => method === 'GET' || method === 'HEAD'

/** What OpenAPI adds to the description of a route that asks again. */
const ASKS_AGAIN =
  '403 `proof_needed` where the last proof of the session is older than ten minutes (`POST /v1/operator/session/proof`).'

/**
 * Routes of the operator API (protocol.md#operator-api). Each names its action in its `config`; without one the service
 * does not start. Before a body is read, the caller is known (`callerOf`), may do this in some application, and sends
 * it from the console itself or with an API token. The route checks the application (`caller.may`).
 */
export function operatorFamily(
  { operator, log }: Pick<HttpParts, 'log'> & { readonly operator: Pick<OperatorParts, 'callers' | 'publicUrl'> },
  routes: FamilyRoutes<RefuseOperator>,
): (app: FastifyInstance) => void {
  const settle = (scope: FastifyInstance): void => {
    scope.setErrorHandler(answerFault('OPERATOR', log))
    scope.decorateRequest('operatorCaller', null)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    admit(scope, operator)
    scope.addHook('onRoute', (route) => {
      const { action } = route.config ?? {}
      if (action === undefined) throw new TypeError(`${route.url} names no action`)
      const asks = action !== 'anyone' && !isRead(route.method) && asksAgain(action)
      const { response = {}, ...schema } = (route.schema ?? {}) as { response?: object }
      route.config = { ...route.config, family: 'OPERATOR', unlimited: true }
      route.schema = {
        tags: ['Operator'],
        ...(action !== 'anyone' && { security: [{ operatorSession: [] }, { operatorToken: [] }] }),
        ...(asks && { description: ASKS_AGAIN }),
        ...schema,
        response: { ...response, ...(action !== 'anyone' && errors(401)), ...errors(403, 429, 503) },
      }
    })
  }
  return addRoutes(routes, settle, refuseOperator)
}

type Parts = Pick<OperatorParts, 'callers' | 'publicUrl'>

function admit(scope: FastifyInstance, { callers, publicUrl }: Parts): void {
  const { operator: limits, slowDown } = throttleOf(scope)

  const refuseStranger = async (request: FastifyRequest, reply: FastifyReply, given: Credential | null) => {
    const seconds = await limits.stranger(request)
    if (seconds !== null) return tooMany(reply, 'OPERATOR', seconds)
    if (given !== null) await slowDown(request)
    const headers = given?.kind === 'cookie' ? { 'set-cookie': FORGET_COOKIE } : {}
    const { tellsStrangers } = request.routeOptions.config
    if (tellsStrangers !== undefined) return reply.headers(headers).send(tellsStrangers)
    return refuseOperator(reply, 'signed_out', { headers })
  }

  scope.addHook('onRequest', async (request, reply) => {
    const { action } = request.routeOptions.config
    const credential = credentialOf(request.headers)
    if (action === 'anyone') {
      const seconds = await limits.visitor(request)
      if (seconds !== null) return tooMany(reply, 'OPERATOR', seconds)
    }
    if (action === 'anyone' || credential?.kind === 'cookie') {
      if (!isOwnPage(request, publicUrl())) return refuseOperator(reply, 'not_own_page')
      if (!isSecurePage(request)) return refuseOperator(reply, 'https_needed')
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
    if (seconds !== null) return tooMany(reply, 'OPERATOR', seconds)
    if (!isOwn(action) && !mayDo(grant, action, null)) return refuseOperator(reply, 'not_allowed')
    // No id has one, and PostgreSQL fails over it: a path could fill the log with faults of the store.
    if (Object.values(request.params as object).some((value) => String(value).includes('\0'))) {
      return answer(reply, 'OPERATOR', { kind: 'NOT_FOUND', message: 'There is nothing under this id.' })
    }
    if (changes && asksAgain(action) && known.session !== null && !isProved(known.session, callers.now())) {
      return refuseOperator(reply, 'proof_needed')
    }
  })
}
