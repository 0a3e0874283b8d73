import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { DuringHandshake } from '../../../../lib/during-handshake.ts'
import { handshakesInTurns } from '../../../../lib/handshake-turns.ts'
import { ignore } from '../../../../lib/ignore.ts'
import { listenWidely } from '../../../../lib/listen-widely.ts'
import type { LoopTurns } from '../../../../lib/loop-turns.ts'
import { READ_AHEAD_BYTES } from '../../../../lib/read-ahead.ts'
import type { PendingConnection } from './pending-connections.ts'

/** How a connection arrived. */
export const mqttTransports = ['tcp', 'tls', 'ws', 'wss'] as const
export type MqttTransport = (typeof mqttTransports)[number]

/** The other end of a connection. `pending`: its entry among the pending connections, if it already has one. */
export type Remote = { readonly address: string; readonly way: MqttTransport; readonly pending?: PendingConnection }

/** Takes over one accepted connection. */
type Accept = (stream: Duplex, remote: Remote) => void

export type Accepting = {
  /** Called as soon as a connection is accepted, before any TLS handshake. */
  readonly meet: (address: string, connection: Duplex) => PendingConnection
  readonly accept: Accept
  /** Where TLS handshakes take turns, and how long a client may take to begin one, in ms. */
  readonly handshakes: { readonly loop: LoopTurns; readonly helloMs: number }
  /** Called with the server before it listens, for what comes before `meet`. */
  readonly prepare?: (server: Server) => void
}

export type Listener = {
  /** `mqtt://host:port` or `mqtts://host:port` as bound. */
  readonly url: string
  /** Stops accepting; open connections stay. */
  close(): Promise<void>
}

/**
 * Listens with a plain or a TLS server that the caller made (`net.createServer()`, `tls.createServer(options)`) without
 * a connection listener. Rejects if the address is unavailable.
 */
export async function listenOn(
  server: Server | TlsServer,
  at: { host: string; port: number },
  { meet, accept, handshakes, prepare }: Accepting,
): Promise<Listener> {
  const tls = server instanceof TlsServer
  if (tls) handshakesInTurns(server, handshakes.loop, handshakes.helloMs)
  const met = new DuringHandshake<PendingConnection>()
  server.on('connection', (connection: Socket) => {
    const address = connection.remoteAddress ?? ''
    connection.setNoDelay(true)
    const pending = meet(address, connection)
    if (!tls) {
      // Errors are left to the handler of the connection; until it has one, they are ignored.
      connection.on('error', ignore)
      accept(connection, { address, way: 'tcp', pending })
      return
    }
    met.set(connection, pending)
  })
  server.on('secureConnection', (socket: Socket) => {
    const pending = met.take(socket)
    accept(socket, { address: socket.remoteAddress ?? '', way: 'tls', ...(pending && { pending }) })
  })
  // A failed handshake is the client's problem; Node closes the socket.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  prepare?.(server)
  const listening = await listenWidely(server, at, { highWaterMark: READ_AHEAD_BYTES })
  // Accepting may also fail later, for example when file descriptors run out; the server goes on with the next
  // connection.
  server.on('error', ignore)
  const { address, port, family } = listening.address
  return {
    url: `${tls ? 'mqtts' : 'mqtt'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => listening.close(),
  }
}
