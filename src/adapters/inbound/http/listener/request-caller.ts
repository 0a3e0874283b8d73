import type { IncomingMessage } from 'node:http'
import type { LoopCaller, LoopKind } from '../../../../lib/loop-turns.ts'
import { networkOf } from '../../../../lib/network-of.ts'

/** The caller in whose turn a request is handled before its user is known. */
export type CallerOf = (request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>) => LoopCaller

/** Longer than any credential of ours. */
const MEMBER_CHARS = 160

/**
 * By address, and within it by what the request claims: users behind one network do not wait for each other, and nobody
 * elsewhere can fill the turns of someone else's credentials. `addressOf`: the client's.
 */
export const callerBy =
  (addressOf: (request: Parameters<CallerOf>[0]) => string): CallerOf =>
  (request) => ({
    kind: kindOf(request),
    group: networkOf(addressOf(request)),
    member: claimOf(request),
  })

export const callerByConnection: CallerOf = callerBy(({ socket }) => socket.remoteAddress ?? '')

/** The claimed credentials. A contact's link is one in itself, and so is the address that an app is set to. */
export const claimOf = ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string =>
  (headers.authorization ?? headers.cookie ?? url).slice(0, MEMBER_CHARS)

/** The paths of requests that an alarm waits for, whichever caller sends them. */
const ALARMS = [
  // Raising and closing.
  /^\/v1\/sdk\/sos\b/,
  // A contact's answer, an operator's, and a provider's news of a message or a key pressed in a call.
  /^\/t\/[^/?]+\/(?:ack|decline)\b/,
  /^\/v1\/operator\/incidents\/[^/?]+\//,
  /^\/twilio\//,
  // Only their body tells an SOS from a report. A network server and a broker send those of all from one address.
  /^\/v1\/sdk\/mqtt\/auth\//,
  /^\/v1\/lorawan\//,
  /^\/v1\/trackers\/osmand(?:\/[^?]*)?$/,
]
/** An app of that kind can press with a GET. */
const PRESSES = /^\/v1\/trackers\/osmand\b[^?]*\?(?:.*&)?alarm=/

const REPORTS = /^\/v1\/trackers\//

/** As far as its first line shows. A wrong claim moves it to the other queue of its own caller. */
export const kindOf = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): LoopKind =>
  PRESSES.test(url) || (method === 'POST' && ALARMS.some((path) => path.test(url))) ? 'alarm' : 'other'

/** Whether nothing is lost if nobody hears the answer. Reports of trackers come with GET as well. */
export const onlyReads = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean =>
  (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && !REPORTS.test(url)
