import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net'

/**
 * Sockets that listen for one server. Node accepts one connection of each per turn of the event loop, and the system
 * keeps those that wait in order of arrival, whatever their addresses: with one socket, a newcomer waits 450 turns
 * behind 450 connections of somebody else.
 */
export const LISTENING_SOCKETS = 32

export type Listening = {
  /** As bound. */
  readonly address: AddressInfo
  /** Stops accepting; settles once all connections that came in here are closed. */
  close(): Promise<void>
}

/**
 * Has a server listen on several sockets of the same port, and passes it what each of them accepts, as the event
 * 'connection' that it emits itself. `sockets`: Node's options for the accepted sockets, as the server itself has them.
 * Rejects with Node's error if the address is unavailable, also where the other listener is one like this.
 */
export async function listenWidely(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  sockets: ServerOpts,
): Promise<Listening> {
  if (process.platform !== 'linux') {
    await listening(server, { host, port })
    return { address: server.address() as AddressInfo, close: () => closed(server) }
  }
  // The system lets processes of one user share such a port: two services would each get half of the connections.
  if (port !== 0) await alone({ host, port })
  await listening(server, { host, port, reusePort: true })
  const address = server.address() as AddressInfo
  const others = Array.from({ length: LISTENING_SOCKETS - 1 }, () =>
    createServer(sockets, (socket) => passOn(server, socket)),
  )
  const close = async (): Promise<void> => {
    await Promise.all([server, ...others].filter((one) => one.listening).map(closed))
  }
  try {
    for (const other of others) {
      await listening(other, { host: address.address, port: address.port, reusePort: true })
      other.on('error', (error) => server.emit('error', error))
    }
  } catch (error) {
    void close()
    throw error
  }
  return { address, close }
}

const passOn = (server: Server, socket: Socket): void => void server.emit('connection', socket)

async function alone(at: { readonly host: string; readonly port: number }): Promise<void> {
  const probe = createServer((socket) => socket.destroy())
  await listening(probe, at)
  await closed(probe)
}

async function listening(
  server: Server,
  at: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
): Promise<void> {
  server.listen({ ...at, exclusive: true })
  await once(server, 'listening')
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
