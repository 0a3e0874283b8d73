import { isIPv6, type Server, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { SECOND } from './durations.ts'
import { DuringHandshake } from './during-handshake.ts'
import { networkOf } from './network-of.ts'
import type { Places } from './places.ts'
import { PREFIX_BYTES, type ProxiedClient, type ProxyPrefix, readProxyPrefix } from './proxy-header.ts'

export type Balancers = {
  /** Whether the address is one of a load balancer. */
  readonly includes: (address: string) => boolean
  /** A connection from a balancer was refused because of this. */
  readonly refused: (balancer: string, reason: string) => void
}

/** For the complete header, from the start of the connection. Balancers write it as soon as they are connected. */
const HEADER_MS = 5 * SECOND

type Client = NonNullable<ProxiedClient>

/**
 * Reads the PROXY header of every connection from a balancer before the listeners of `server` see it, and shows them
 * the client's address as that of the socket (and of the TLS socket around it), so that nothing behind has to know. A
 * balancer's connection without a header is refused: its client would share the balancer's address with all others.
 * Other connections are left alone; a header from them is just invalid input.
 *
 * Until the header is complete, the connection has a resting place of the balancer's among `places`, unless it is one
 * that needs none (`isOwn`).
 * Call this when all listeners for 'connection' are there, and before the server listens.
 */
export function behindBalancers(
  server: Server,
  { includes, refused }: Balancers,
  places: Places | undefined,
  isOwn: (socket: Socket) => boolean = () => false,
): void {
  const listeners = server.listeners('connection')
  const accept = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket)
  }
  const showClient = showingClients(server)

  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const balancer = socket.remoteAddress ?? ''
    if (!includes(balancer)) return accept(socket)
    const place = isOwn(socket)
      ? undefined
      : places?.take(networkOf(balancer), () => socket.destroy(), Number.MAX_SAFE_INTEGER)
    if (place === null) return void socket.destroy()
    readHeader(socket, (header) => {
      place?.leaves()
      if (header === null) return void socket.destroy()
      if ('refused' in header) {
        refused(balancer, header.refused)
        return void socket.destroy()
      }
      const { client } = header
      if (client !== null && (!isLoopback(client.address) || isLoopback(balancer))) showClient(socket, client)
      accept(socket)
    })
  })
}

/** What comes from this machine is trusted more; a balancer elsewhere cannot know what that is. */
const isLoopback = (address: string): boolean => /^(?:(?:::ffff:)?127\.|::1$)/.test(address)

/**
 * Reads exactly the header; what follows it stays unread in the socket. Calls `done` once: with the client, with a
 * reason to refuse the connection, or with null if it ended before it sent anything, as the connections of simple
 * health checks do.
 */
function readHeader(
  socket: Socket,
  done: (header: { readonly client: ProxiedClient } | { readonly refused: string } | null) => void,
): void {
  let prefix: ProxyPrefix | null = null
  const settle = (header: Parameters<typeof done>[0]): void => {
    clearTimeout(deadline)
    socket.off('readable', read).off('end', gone).off('close', gone).off('error', gone)
    done(header)
  }
  const gone = (): void => settle(null)
  const read = (): void => {
    if (prefix === null) {
      const bytes: Buffer | null = socket.read(PREFIX_BYTES)
      if (bytes === null) return
      const found = readProxyPrefix(bytes)
      if ('refused' in found) {
        settle(found)
        return
      }
      prefix = found
    }
    const { restBytes, client } = prefix
    const rest: Buffer | null = restBytes === 0 ? Buffer.alloc(0) : socket.read(restBytes)
    if (rest === null) return
    // A stream that has ended gives what is left.
    settle(rest.length < restBytes ? { refused: 'its PROXY header is incomplete' } : { client: client(rest) })
  }
  const deadline = setTimeout(() => settle({ refused: 'its PROXY header was not complete in time' }), HEADER_MS).unref()
  socket.on('readable', read).on('end', gone).on('close', gone).on('error', gone)
}

/** Returns what gives a socket its client's address; with TLS, also the one that the handshake makes of it. */
function showingClients(server: Server): (socket: Socket, client: Client) => void {
  if (!(server instanceof TlsServer)) return showAs
  const clients = new DuringHandshake<Client>()
  server.prependListener('secureConnection', (socket: Socket) => {
    const client = clients.take(socket)
    if (client !== undefined) showAs(socket, client)
  })
  return (socket, client) => {
    clients.set(socket, client)
    showAs(socket, client)
  }
}

function showAs(socket: Socket, { address, port }: Client): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    remoteFamily: { value: isIPv6(address) ? 'IPv6' : 'IPv4' },
  })
}
