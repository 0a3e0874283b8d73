import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** Connections of an address that may be silent. Behind a proxy everybody has the same one, so it is never to be below 1,000. */
export const SILENT_PER_ADDRESS = 1_000

/**
 * Bounds the connections of an address (IPv4 address, IPv6 /64) that have not brought a complete request: of more than `most` the oldest is
 * closed. Answers what to call with the socket of a connection that counts no longer.
 */
export function boundSilent(server: Server | SecureServer, most: number): (socket: Socket) => void {
  const silent = new Map<string, Map<string, Socket>>()
  const forget = (address: string, peer: string): void => {
    const neighbours = silent.get(address)
    if (neighbours?.delete(peer) && neighbours.size === 0) silent.delete(address)
  }
  /** Spares every further request of a connection the search. */
  const known = new WeakSet<Socket>()
  const heard = (socket: Socket): void => {
    if (known.has(socket) || socket.remoteAddress === undefined) return
    known.add(socket)
    forget(normalizeIP(socket.remoteAddress, 64), peerOf(socket))
  }
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) return
    const [address, peer] = [normalizeIP(socket.remoteAddress, 64), peerOf(socket)]
    const neighbours = silent.get(address) ?? new Map<string, Socket>()
    silent.set(address, neighbours.set(peer, socket))
    socket.once('close', () => neighbours.get(peer) === socket && forget(address, peer))
    const [oldest] = neighbours.keys()
    if (neighbours.size > most && oldest !== undefined) {
      neighbours.get(oldest)?.destroy()
      forget(address, oldest)
    }
  })
  const requested = (request: IncomingMessage, response: ServerResponse): void => {
    if (known.has(request.socket)) return
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    if (coding === undefined && Number(length) === 0) {
      heard(request.socket)
      return
    }
    request.once('end', () => heard(request.socket))
    // A body that nobody reads has no end.
    response.once('close', () => request.complete && heard(request.socket))
  }
  server.on('request', requested).on('checkExpectation', requested)
  return heard
}

/** Names a connection, whether by its TCP socket or by the TLS socket around it. */
const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`
