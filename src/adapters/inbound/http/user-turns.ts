import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LoopCaller } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { groupOf } from './request-caller.ts'
import { sessionOf } from './sdk-session.ts'

/**
 * Whose turn it is to have a body read: the verified user's, wherever their connections come from, or else the
 * address's. A user's alarms take turns with the user's other requests.
 */
export function bodyCaller(scope: FastifyInstance): (request: FastifyRequest) => LoopCaller {
  const isSignedIn = scope.hasRequestDecorator('session')
  return (request) => {
    const whose = isSignedIn ? sessionOf(request).userId : networkOf(request.ip)
    return { group: groupOf(request.routeOptions.config.unlimited === true, whose), member: '' }
  }
}
