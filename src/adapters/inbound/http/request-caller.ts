import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LoopCaller } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { sessionOf } from './sdk-session.ts'

/** Whose turn on the main thread a request takes before its user is known. */
export type CallerOf = (request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>) => LoopCaller

/** Longer than any credential of ours. */
const CREDENTIAL_CHARS = 160

/**
 * By address, and within it by the credentials that the request claims: users behind one network do not wait for each
 * other, and nobody elsewhere can fill the turns of someone else's credentials. Alarms of an address take turns with
 * its other requests. `addressOf`: the client's.
 */
export const callerBy =
  (addressOf: (request: Parameters<CallerOf>[0]) => string): CallerOf =>
  (request) => {
    const { authorization, cookie = '' } = request.headers
    return {
      group: `${kindOf(isAlarm(request))} ${networkOf(addressOf(request))}`,
      member: (authorization ?? cookie).slice(0, CREDENTIAL_CHARS),
    }
  }

export const callerByConnection: CallerOf = callerBy(({ socket }) => socket.remoteAddress ?? '')

/**
 * Whose turn it is to have a body read: the verified user's, wherever their connections come from, or else the
 * address's. A user's alarms take turns with the user's other requests.
 */
export function bodyCaller(scope: FastifyInstance): (request: FastifyRequest) => LoopCaller {
  const isSignedIn = scope.hasRequestDecorator('session')
  return (request) => {
    const kind = kindOf(request.routeOptions.config.unlimited === true)
    return { group: `${kind} ${isSignedIn ? sessionOf(request).userId : networkOf(request.ip)}`, member: '' }
  }
}

const kindOf = (isAlarm: boolean): string => (isAlarm ? 'alarm' : 'other')

/** As far as its first line shows: raising and closing. A wrong claim moves it to another queue of the same address. */
const isAlarm = ({ method, url = '' }: Parameters<CallerOf>[0]): boolean =>
  method === 'POST' && url.startsWith('/v1/sdk/sos')
