import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { createListener, listenerTimes } from './listener.ts'
import type { HttpParts } from './parts.ts'

export type { HttpParts } from './parts.ts'

const CLOSE_CHECK_MS = 50

export type HttpServer = {
  /** For the broker, which attaches its WebSocket handshake to `upgrade`; it gets those for `/mqtt` only. */
  readonly server: Server
  /** Listens, and gives the address as a URL without a path. Rejects with node's error where the port is taken. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Takes no new connections, lets requests under way finish for a moment, and ends what is left then. WebSockets are the broker's to close. */
  close(): Promise<void>
}

/** The REST interface and the pages on one plain HTTP listener. */
export async function createHttpServer(parts: HttpParts): Promise<HttpServer> {
  const app = await createApp(parts)
  const times = { ...listenerTimes, ...parts.times }
  const server = createListener(app.routing, times)
  return {
    server,
    async listen({ host, port }) {
      server.listen({ host, port })
      await once(server, 'listening')
      return urlOf(server.address() as AddressInfo)
    },
    async close() {
      if (server.listening) await closeListener(server, times.closeMs)
      await app.close()
    },
  }
}

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

async function closeListener(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection whose last request ends after `close` would otherwise be kept for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_CHECK_MS)
  const grace = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(grace)
}
