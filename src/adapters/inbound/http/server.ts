import type { Server } from 'node:http'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import { LoopWatch } from '../../../lib/loop-watch.ts'
import { Places } from '../../../lib/places.ts'
import type { Address } from '../door/listen-widely.ts'
import type { Certificate } from '../door/secure.ts'
import type { HttpNeeds } from './app.ts'
import { createApp } from './app.ts'
import { clientAddress, isAmong } from './client-address.ts'
import { CONNECTIONS_PER_ADDRESS, listenerTimes } from './listener/connections.ts'
import { createListener } from './listener/listener.ts'
import { callerBy } from './listener/request-caller.ts'
import { LivePages } from './tracking/live-pages.ts'

export type { HttpNeeds } from './app.ts'

/** The default when the caller does not know how many the process can hold. */
const MAX_CONNECTIONS = 16_000

export type HttpServer = {
  /** For the broker, which attaches its WebSocket handshake to `upgrade`; it only gets those for `/mqtt`. */
  readonly server: Server
  /**
   * Listens, with a certificate for HTTPS, and resolves to the address as a URL without a path. Rejects with Node's
   * error if the port is taken.
   */
  listen(at: Address, certificate?: Certificate): Promise<string>
  /**
   * Accepts no new connections, gives requests in progress a moment to finish, then ends the rest. The broker closes
   * the WebSockets.
   */
  close(): Promise<void>
}

/** The REST interface and the pages, on plain HTTP listeners and on HTTPS ones. */
export async function createHttpServer(parts: HttpNeeds): Promise<HttpServer> {
  const livePages = new LivePages(parts)
  const loop = new LoopTurns()
  const watch = new LoopWatch(() => parts.clock.now())
  const app = await createApp(parts, livePages, loop)
  const { maxConnections = MAX_CONNECTIONS, trustProxy = false, balancers = null } = parts
  const listener = createListener(app.routing, {
    times: { ...listenerTimes, ...parts.times },
    places: new Places({ max: maxConnections, maxPerAddress: Math.min(CONNECTIONS_PER_ADDRESS, maxConnections / 2) }),
    // If every address is trusted, no particular one is known to be a proxy.
    isProxy: typeof trustProxy === 'boolean' ? () => false : isAmong([trustProxy].flat()),
    loop,
    watch,
    callerOf: callerBy(clientAddress(typeof trustProxy === 'boolean' ? trustProxy : [trustProxy].flat())),
    balancers,
  })
  return {
    server: listener.server,
    listen: (at, certificate) => listener.listen(at, certificate),
    async close() {
      livePages.close()
      parts.streams.close()
      parts.operator?.changes.close()
      await listener.close()
      watch.stop()
      await app.close()
    },
  }
}
