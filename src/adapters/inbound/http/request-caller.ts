import type { IncomingMessage } from 'node:http'
import type { LoopCaller } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'

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
      group: groupOf(isAlarm(request), networkOf(addressOf(request))),
      member: (authorization ?? cookie).slice(0, CREDENTIAL_CHARS),
    }
  }

export const callerByConnection: CallerOf = callerBy(({ socket }) => socket.remoteAddress ?? '')

/** A caller's alarms and other requests are separate groups, which take turns. */
export const groupOf = (isAlarm: boolean, whose: string): string => `${isAlarm ? 'alarm' : 'other'} ${whose}`

/** As far as its first line shows: raising and closing. A wrong claim moves it to another queue of the same address. */
const isAlarm = ({ method, url = '' }: Parameters<CallerOf>[0]): boolean =>
  method === 'POST' && url.startsWith('/v1/sdk/sos')
