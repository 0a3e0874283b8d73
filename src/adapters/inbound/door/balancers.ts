import type { Socket } from 'node:net'
import { SECOND } from '../../../lib/durations.ts'
import { networkOf } from '../../../lib/network-of.ts'
import type { Places } from '../../../lib/places.ts'
import { PREFIX_BYTES, type ProxiedClient, type ProxyPrefix, readProxyPrefix } from '../../../lib/proxy-header.ts'

export type Balancers = {
  /** Whether the address is one of a load balancer. */
  readonly includes: (address: string) => boolean
  /** A connection from a balancer was refused because of this. */
  readonly refused: (balancer: string, reason: string) => void
}

/** For the complete header, from the start of the connection. Balancers write it as soon as they are connected. */
const HEADER_MS = 5 * SECOND

/**
 * Reads the PROXY header with which every connection of a balancer begins, and calls `known` with the client that it
 * names; null if it names none that counts. Bytes after the header stay unread in the socket. A balancer's
 * connection without a header is closed: its client would share the balancer's address with all others.
 *
 * Until the header is complete, the connection has a resting place of the balancer's among `places`, if there are any.
 */
export function readBehindBalancer(
  socket: Socket,
  { refused }: Balancers,
  places: Places | undefined,
  known: (client: ProxiedClient) => void,
): void {
  const balancer = socket.remoteAddress ?? ''
  const place = places?.take(networkOf(balancer), () => socket.destroy(), Number.MAX_SAFE_INTEGER)
  if (place === null) return void socket.destroy()
  readHeader(socket, (header) => {
    place?.leaves()
    if (header === null) return void socket.destroy()
    if ('refused' in header) {
      refused(balancer, header.refused)
      return void socket.destroy()
    }
    const { client } = header
    known(client !== null && (!isLoopback(client.address) || isLoopback(balancer)) ? client : null)
  })
}

/** Connections from this machine are trusted more; a balancer elsewhere cannot tell which those are. */
const isLoopback = (address: string): boolean => /^(?:(?:::ffff:)?127\.|::1$)/.test(address)

/**
 * Reads exactly the header; bytes after it stay unread in the socket. Calls `done` once: with the client, with a
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
    // A stream that has ended gives its remaining bytes.
    settle(rest.length < restBytes ? { refused: 'its PROXY header is incomplete' } : { client: client(rest) })
  }
  const deadline = setTimeout(() => settle({ refused: 'its PROXY header was not complete in time' }), HEADER_MS).unref()
  socket.on('readable', read).on('end', gone).on('close', gone).on('error', gone)
}
