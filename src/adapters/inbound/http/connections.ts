import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { DuringHandshake } from '../../../lib/during-handshake.ts'
import { checkEvery, inSteps } from '../../../lib/in-steps.ts'
import { networkOf } from '../../../lib/network-of.ts'
import type { Place, Places } from '../../../lib/places.ts'

/**
 * Connections of one address on both listeners together. Behind a proxy all clients share one address, so this must be
 * at least 1,000.
 */
export const CONNECTIONS_PER_ADDRESS = 1_000
/** How long a peer may read nothing of a pending response. */
export const STALLED_MS = 30_000

export type ConnectionRules = {
  readonly places: Places
  /** Whether the address is a trusted proxy, whose connections carry many clients. */
  readonly isProxy: (address: string) => boolean
  readonly stalledMs: number
  /** How often to check for stalled peers. */
  readonly checkMs: number
}

/** Places by socket, so that a request whose answer is held back can yield its own. */
const placeOf = new WeakMap<Socket, Place>()

/** Lets another connection replace this request's before its answer, which is a delayed refusal. */
export const yieldPlace = ({ socket }: IncomingMessage): void => placeOf.get(socket)?.rests()

type BoundConnections = {
  /** Something else takes over the connection: it is not tracked any further. */
  readonly leaves: (socket: Socket) => void
  /** An idle connection has begun to send: those that have rested longer are closed before it. */
  readonly speaks: (socket: Socket) => void
}

/**
 * Gives each connection of the server a place, from before the TLS handshake until it is closed. A place counts as
 * resting unless a complete request is being worked on: silent and idle connections, incomplete requests and readers of
 * responses are closed first to make room.
 */
export function boundConnections(server: Server | SecureServer, rules: ConnectionRules): BoundConnections {
  const { places, isProxy, stalledMs, checkMs } = rules
  const handshakes = server instanceof SecureServer ? placesDuringHandshakes(server) : null

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    if (socket.remoteAddress === undefined) {
      // No handshake comes of it.
      if (server instanceof SecureServer) return void socket.destroy()
      // Reset while it waited to be accepted. An alarm may be in it all the same: see turns.ts.
      Object.defineProperty(socket, 'remoteAddress', { value: '' })
    }
    const address = networkOf(remoteAddress)
    const place = places.take(
      address,
      () => socket.destroy(),
      isProxy(remoteAddress) ? Number.MAX_SAFE_INTEGER : undefined,
    )
    if (place === null) return void socket.destroy()
    socket.once('close', () => place.leaves())
    if (handshakes === null) placeOf.set(socket, place)
    else handshakes.set(socket, place)
  })

  const requested = (request: IncomingMessage, response: ServerResponse): void => {
    const place = placeOf.get(request.socket)
    if (place === undefined) return
    if (hasBody(request)) request.once('end', () => response.writableEnded || place.works())
    else place.works()
    // Once the response is complete: a slow reader may be closed to make room for another connection.
    response.once('prefinish', () => place.rests())
    response.once('close', () => place.rests())
  }
  server.on('request', requested).on('checkExpectation', requested)

  const watched = endStalled(server, stalledMs, checkMs)
  return {
    leaves(socket) {
      watched.delete(socket)
      placeOf.get(socket)?.leaves()
    },
    speaks: (socket) => placeOf.get(socket)?.rests(),
  }
}

/** Places until their connection has a TLS socket, which gets them then. */
function placesDuringHandshakes(server: SecureServer): DuringHandshake<Place> {
  const handshakes = new DuringHandshake<Place>()
  server.prependListener('secureConnection', (secure: Socket) => {
    const place = handshakes.take(secure)
    if (place !== undefined) placeOf.set(secure, place)
  })
  return handshakes
}

/**
 * Ends connections whose peer reads nothing of its pending response. Returns the set of watched connections. Responses
 * are written in small pieces, so slow readers still show progress.
 */
function endStalled(server: Server | SecureServer, stalledMs: number, checkMs: number): Set<Socket> {
  const open = new Set<Socket>()
  const progress = new WeakMap<Socket, { readonly bytes: number; readonly since: number }>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const check = (socket: Socket, now: number): void => {
    if (socket.writableLength === 0) {
      progress.delete(socket)
      return
    }
    const bytes = socket.bytesWritten - socket.writableLength
    const last = progress.get(socket)
    if (last?.bytes !== bytes) progress.set(socket, { bytes, since: now })
    else if (now - last.since >= stalledMs) socket.destroy()
  }
  const stop = checkEvery(checkMs, (now) => inSteps(open, (socket) => check(socket, now)))
  server.once('close', stop)
  return open
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
