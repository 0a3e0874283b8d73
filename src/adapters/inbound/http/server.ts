import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { Places } from '../../../lib/places.ts'
import { createApp } from './app.ts'
import { isAmong } from './client-address.ts'
import { CONNECTIONS_PER_ADDRESS } from './connections.ts'
import { createListener, createSecureListener, listenerTimes } from './listener.ts'
import type { HttpParts } from './parts.ts'

export type { HttpParts } from './parts.ts'

const CLOSE_CHECK_MS = 50
/** Where nobody says how many the process can hold. */
const MAX_CONNECTIONS = 16_000

export type HttpServer = {
  /** For the broker, which attaches its WebSocket handshake to `upgrade`; it gets those for `/mqtt` only. */
  readonly server: Server
  /**
   * The same on HTTPS, where a secure context was given; its `setSecureContext` changes the certificate
   * for new connections.
   */
  readonly secureServer: SecureServer | null
  /** Listens, and gives the address as a URL without a path. Rejects with node's error where the port is taken. */
  listen(address: Address): Promise<string>
  /** `listen` for HTTPS. Rejects where no secure context was given. */
  listenSecure(address: Address): Promise<string>
  /**
   * Takes no new connections, lets requests under way finish for a moment, and ends what is left then. WebSockets are
   * the broker's to close.
   */
  close(): Promise<void>
}

export type Address = { readonly host: string; readonly port: number }

/** The REST interface and the pages on a plain HTTP listener and, with a secure context, on an HTTPS one. */
export async function createHttpServer(
  parts: HttpParts,
  secureContext: SecureContextOptions | null = null,
): Promise<HttpServer> {
  const app = await createApp(parts)
  const times = { ...listenerTimes, ...parts.times }
  const { maxConnections = MAX_CONNECTIONS, trustProxy = false } = parts
  const listening = {
    times,
    places: new Places({ max: maxConnections, maxPerAddress: Math.min(CONNECTIONS_PER_ADDRESS, maxConnections / 2) }),
    // Where everybody's word is believed, nobody is known to be a proxy.
    isProxy: typeof trustProxy === 'boolean' ? () => false : isAmong([trustProxy].flat()),
  }
  const server = createListener(app.routing, listening)
  const secureServer = secureContext === null ? null : createSecureListener(app.routing, secureContext, listening)
  const closers = [server, ...(secureServer === null ? [] : [secureServer])].map((one) => closerOf(one, times.closeMs))
  return {
    server,
    secureServer,
    listen: (address) => listenAt(server, 'http', address),
    async listenSecure(address) {
      if (secureServer === null) throw new TypeError('HTTPS needs a secure context')
      return listenAt(secureServer, 'https', address)
    },
    async close() {
      await Promise.all(closers.map((close) => close()))
      await app.close()
    },
  }
}

async function listenAt(server: Server | SecureServer, scheme: string, { host, port }: Address): Promise<string> {
  server.listen({ host, port })
  await once(server, 'listening')
  return urlOf(scheme, server.address() as AddressInfo)
}

const urlOf = (scheme: string, { address, family, port }: AddressInfo): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/**
 * Ends what a listener has begun, WebSockets that nobody else ended included: node no longer counts those as
 * connections of its own.
 */
function closerOf(server: Server | SecureServer, graceMs: number): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    // A connection whose last request ends after `close` would otherwise be kept for the next one.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_CHECK_MS)
    const grace = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    await closed
    clearInterval(idle)
    clearTimeout(grace)
  }
}
