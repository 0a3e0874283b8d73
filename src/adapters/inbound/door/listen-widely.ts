import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net'

/**
 * Sockets that listen for one server. Node accepts one connection of each per turn of the event loop, and the system
 * keeps those that wait in order of arrival, whatever their addresses: with one socket, a newcomer waits 450 turns
 * behind 450 connections of somebody else.
 */
export const LISTENING_SOCKETS = 32

/** An address to listen on; port 0 picks a free one. */
export type Address = { readonly host: string; readonly port: number }

export type Listening = {
  readonly port: number
  /** `host:port` as bound, as in a URL. */
  readonly authority: string
  /** Stops accepting; settles once all connections that came in here are closed. */
  close(): Promise<void>
}

/**
 * Listens on several sockets of the same port, and calls `accept` with what each of them accepts. `sockets`: Node's
 * options for the accepted sockets. Rejects with Node's error if the address is unavailable, also where the other
 * listener is one like this.
 */
export async function listenWidely(
  { host, port }: Address,
  sockets: ServerOpts,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  const servers: Server[] = []
  const add = async (at: Address): Promise<Server> => {
    const server = createServer(sockets, accept)
    await listening(server, { ...at, ...(process.platform === 'linux' && { reusePort: true }) })
    // Accepting may also fail later, for example when file descriptors run out; the server goes on with the next one.
    server.on('error', () => {})
    servers.push(server)
    return server
  }
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed))
  }
  // The system lets processes of one user share such a port: two services would each get half of the connections.
  if (port !== 0) await alone({ host, port })
  const bound = (await add({ host, port })).address() as AddressInfo
  try {
    const others = process.platform === 'linux' ? LISTENING_SOCKETS - 1 : 0
    for (let n = 0; n < others; n += 1) await add({ host: bound.address, port: bound.port })
  } catch (error) {
    void close()
    throw error
  }
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return { port: bound.port, authority: `${name}:${bound.port}`, close }
}

async function alone(at: Address): Promise<void> {
  const probe = createServer((socket) => socket.destroy())
  await listening(probe, at)
  await closed(probe)
}

async function listening(server: Server, at: Address & { readonly reusePort?: boolean }): Promise<void> {
  server.listen({ ...at, exclusive: true })
  await once(server, 'listening')
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
