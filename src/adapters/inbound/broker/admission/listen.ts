import type { AddressInfo, Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import type { PendingConnection } from './pending-connections.ts'

/** How a connection came. */
export const ways = ['tcp', 'tls', 'ws', 'wss'] as const
export type Way = (typeof ways)[number]

/** Who is at the other end. `pending`: as it was met when the connection was accepted, if it was met. */
export type Remote = { readonly address: string; readonly way: Way; readonly pending?: PendingConnection }

/** Takes one accepted connection. */
export type Accept = (stream: Duplex, remote: Remote) => void

export type Accepting = {
  /** Told of each connection as soon as there is one: before the TLS handshake, where there is one. */
  readonly meet: (address: string, connection: Duplex) => PendingConnection
  readonly accept: Accept
}

export type Listener = {
  /** `mqtt://host:port` or `mqtts://host:port` as bound. */
  readonly url: string
  /** Stops accepting; what is accepted stays. */
  close(): Promise<void>
}

/**
 * Listens with a plain or a TLS server, made by the caller (`net.createServer()`, `tls.createServer(options)`) without
 * a listener of its own for connections. Rejects where the address cannot be had.
 */
export async function listenOn(
  server: Server | TlsServer,
  at: { host: string; port: number },
  { meet, accept }: Accepting,
): Promise<Listener> {
  const tls = server instanceof TlsServer
  /** Those whose handshake is under way, by port: node does not say which connection a TLS socket came from. */
  const met = new Map<string, PendingConnection>()
  server.on('connection', (connection: Socket) => {
    const address = connection.remoteAddress ?? ''
    connection.setNoDelay(true)
    // Its end is told to whoever handles it; until then to nobody else.
    connection.on('error', () => {})
    const pending = meet(address, connection)
    if (!tls) {
      accept(connection, { address, way: 'tcp', pending })
      return
    }
    const end = endOf(connection)
    met.set(end, pending)
    connection.once('close', () => met.delete(end))
  })
  server.on('secureConnection', (socket: Socket) => {
    const pending = met.get(endOf(socket))
    met.delete(endOf(socket))
    accept(socket, { address: socket.remoteAddress ?? '', way: 'tls', ...(pending && { pending }) })
  })
  // A handshake that fails is the other side's affair; its socket is closed by Node.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...at, exclusive: true }, () => {
      server.off('error', reject)
      // Accepting may fail later too, as when file descriptors run out; it goes on with the next connection.
      server.on('error', () => {})
      resolve()
    })
  })
  const { address, port, family } = server.address() as AddressInfo
  return {
    url: `${tls ? 'mqtts' : 'mqtt'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
