import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { Place, Places } from '../../../lib/places.ts'

/**
 * Connections of an address on both listeners together. Behind a proxy everybody has the same one, so it is
 * not to be below 1,000.
 */
export const CONNECTIONS_PER_ADDRESS = 1_000
/** How long a peer may take nothing of an answer that waits for it. */
export const STALLED_MS = 30_000

export type ConnectionRules = {
  readonly places: Places
  /** Whether this is a proxy whose word is believed: its connections are everybody's. */
  readonly isProxy: (address: string) => boolean
  readonly stalledMs: number
  /** How often it is looked for peers that take nothing. */
  readonly checkMs: number
}

/** The places of connections by their sockets, so that a request whose answer is held back can give its own up. */
const placeOf = new WeakMap<Socket, Place>()

/**
 * Lets the connection of this request be ended for somebody else although it is not answered: what it
 * waits for is a refusal.
 */
export const yieldPlace = ({ socket }: IncomingMessage): void => placeOf.get(socket)?.rests()

/**
 * Gives each connection of the server a place, from before the TLS handshake until it is closed. It rests unless a
 * complete request is being worked on: silent ones, idle ones, half requests and readers of answers are what gives way
 * to others. Answers what to call with the socket of a connection that is somebody else's from now on.
 */
export function boundConnections(server: Server | SecureServer, rules: ConnectionRules): (socket: Socket) => void {
  const { places, isProxy, stalledMs, checkMs } = rules
  /** Node does not say which connection a TLS socket is around. */
  const byPeer = new Map<string, Place>()

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return void socket.destroy()
    const address = normalizeIP(remoteAddress, 64)
    const place = places.take(
      address,
      () => socket.destroy(),
      isProxy(remoteAddress) ? Number.MAX_SAFE_INTEGER : undefined,
    )
    if (place === null) return void socket.destroy()
    const peer = peerOf(socket)
    byPeer.set(peer, place)
    socket.once('close', () => {
      place.leaves()
      if (byPeer.get(peer) === place) byPeer.delete(peer)
    })
  })

  const find = (socket: Socket): Place | undefined => {
    const place = placeOf.get(socket) ?? byPeer.get(peerOf(socket))
    if (place !== undefined) placeOf.set(socket, place)
    return place
  }

  const requested = (request: IncomingMessage, response: ServerResponse): void => {
    const place = find(request.socket)
    if (place === undefined) return
    if (hasBody(request)) request.once('end', () => response.writableEnded || place.works())
    else place.works()
    // Once the answer is made: who is slow to read it may be ended for somebody else.
    response.once('prefinish', () => place.rests())
    response.once('close', () => place.rests())
  }
  server.on('request', requested).on('checkExpectation', requested)

  const watched = endStalled(server, stalledMs, checkMs)
  return (socket) => {
    watched.delete(socket)
    find(socket)?.leaves()
  }
}

/**
 * Ends connections whose peer takes nothing of what waits for it, and answers all that there are. Answers are
 * written in small pieces.
 */
function endStalled(server: Server | SecureServer, stalledMs: number, checkMs: number): Set<Socket> {
  const open = new Set<Socket>()
  const progress = new WeakMap<Socket, { readonly bytes: number; readonly since: number }>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const check = setInterval(() => {
    const now = performance.now()
    for (const socket of open) {
      if (socket.writableLength === 0) {
        progress.delete(socket)
        continue
      }
      const bytes = socket.bytesWritten - socket.writableLength
      const last = progress.get(socket)
      if (last?.bytes !== bytes) progress.set(socket, { bytes, since: now })
      else if (now - last.since >= stalledMs) socket.destroy()
    }
  }, checkMs).unref()
  server.once('close', () => clearInterval(check))
  return open
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/** Names a connection, whether by its TCP socket or by the TLS socket around it. */
const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`
