import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../../../../lib/network-of.ts'
import { sessionOf } from '../admission/session.ts'
import { throttleOf } from '../admission/throttle.ts'
import { claimOf, kindOf } from '../listener/request-caller.ts'

/**
 * Returns what resolves when it is a request's turn for the costly part: to have its body read, and its answer made. It
 * is the verified user's turn, wherever their connections come from, or else the address's, where claims take turns.
 */
export function userTurns(scope: FastifyInstance): (request: FastifyRequest) => Promise<void> {
  const { loop } = throttleOf(scope)
  const isSignedIn = scope.hasRequestDecorator('session')
  return (request) => {
    const whose = isSignedIn
      ? { group: sessionOf(request).userId, member: '' }
      : { group: networkOf(request.ip), member: claimOf(request.raw) }
    return loop.turn({ kind: kindOf(request.raw), ...whose })
  }
}
