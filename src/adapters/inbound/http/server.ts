import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { behindBalancers } from '../../../lib/behind-balancers.ts'
import { type Listening, listenWidely } from '../../../lib/listen-widely.ts'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import { LoopWatch, watchAccepts } from '../../../lib/loop-watch.ts'
import { Places } from '../../../lib/places.ts'
import { READ_AHEAD_BYTES } from '../../../lib/read-ahead.ts'
import { createApp } from './app.ts'
import { clientAddress, isAmong } from './client-address.ts'
import { CONNECTIONS_PER_ADDRESS } from './connections.ts'
import { createListener, createSecureListener, listenerTimes } from './listener.ts'
import type { HttpParts } from './parts.ts'
import { callerBy } from './request-caller.ts'
import { LivePages } from './tracking/live-pages.ts'

export type { HttpParts } from './parts.ts'

const CLOSE_CHECK_MS = 50
/** The default when the caller does not know how many the process can hold. */
const MAX_CONNECTIONS = 16_000

export type HttpServer = {
  /** For the broker, which attaches its WebSocket handshake to `upgrade`; it only gets those for `/mqtt`. */
  readonly server: Server
  /**
   * The same over HTTPS, if a secure context was given; its `setSecureContext` changes the certificate for new
   * connections.
   */
  readonly secureServer: SecureServer | null
  /** Listens, and resolves to the address as a URL without a path. Rejects with Node's error if the port is taken. */
  listen(address: Address): Promise<string>
  /** `listen` for HTTPS. Rejects if no secure context was given. */
  listenSecure(address: Address): Promise<string>
  /**
   * Accepts no new connections, gives requests in progress a moment to finish, then ends the rest. The broker closes
   * the WebSockets.
   */
  close(): Promise<void>
}

type Address = { readonly host: string; readonly port: number }

/** The REST interface and the pages on a plain HTTP listener and, with a secure context, on an HTTPS one. */
export async function createHttpServer(
  parts: HttpParts,
  secureContext: SecureContextOptions | null = null,
): Promise<HttpServer> {
  const livePages = new LivePages(parts)
  const loop = new LoopTurns()
  const watch = new LoopWatch(() => parts.clock.now())
  const app = await createApp(parts, livePages, loop)
  const times = { ...listenerTimes, ...parts.times }
  const { maxConnections = MAX_CONNECTIONS, trustProxy = false, balancers = null } = parts
  const listening = {
    times,
    places: new Places({ max: maxConnections, maxPerAddress: Math.min(CONNECTIONS_PER_ADDRESS, maxConnections / 2) }),
    // If every address is trusted, no particular one is known to be a proxy.
    isProxy: typeof trustProxy === 'boolean' ? () => false : isAmong([trustProxy].flat()),
    turns: {
      loop,
      watch,
      callerOf: callerBy(clientAddress(typeof trustProxy === 'boolean' ? trustProxy : [trustProxy].flat())),
    },
  }
  const server = createListener(app.routing, listening)
  const secureServer = secureContext === null ? null : createSecureListener(app.routing, secureContext, listening)
  const servers = [server, ...(secureServer === null ? [] : [secureServer])]
  if (balancers !== null) for (const one of servers) behindBalancers(one, balancers, listening.places)
  // Over TLS nothing of a request can have come before the handshake.
  watchAccepts(server, watch)
  const plain = listenerOf(server, 'http', times.closeMs)
  const secure = secureServer === null ? null : listenerOf(secureServer, 'https', times.closeMs)
  return {
    server,
    secureServer,
    listen: (address) => plain.listen(address),
    async listenSecure(address) {
      if (secure === null) throw new TypeError('HTTPS needs a secure context')
      return secure.listen(address)
    },
    async close() {
      livePages.close()
      parts.operator?.changes.close()
      await Promise.all([plain.close(), secure?.close()])
      watch.stop()
      await app.close()
    },
  }
}

const urlOf = (scheme: string, { address, family, port }: AddressInfo): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/** As `createListener` makes its sockets. */
const SOCKETS = { allowHalfOpen: true, noDelay: true, highWaterMark: READ_AHEAD_BYTES }

/**
 * `listen` resolves to the address as a URL; `close` ends everything that came in, including any WebSockets still open:
 * Node no longer counts those as its connections.
 */
function listenerOf(server: Server | SecureServer, scheme: string, graceMs: number) {
  const sockets = new Set<Socket>()
  let listening: Listening | null = null
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    async listen(address: Address): Promise<string> {
      listening = await listenWidely(server, address, SOCKETS)
      return urlOf(scheme, listening.address)
    },
    async close(): Promise<void> {
      if (listening === null || !server.listening) return
      const closed = listening.close()
      // Otherwise a connection whose last request ends after `close` would stay open for the next one.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_CHECK_MS)
      const grace = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearInterval(idle)
      clearTimeout(grace)
    },
  }
}
