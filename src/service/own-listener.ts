import { connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { isAmong } from '../adapters/inbound/http/client-address.ts'
import { LOCAL_HEADER } from '../lib/proxy-header.ts'
import type { Listeners } from './listeners.ts'

/** Where a listener that may be on every address is reached from here. */
const hereOf = (hostname: string): string => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === '0.0.0.0' ? '127.0.0.1' : bare === '::' ? '::1' : bare
}

/** A connection to a listener of this process, as its clients make one. */
export type OwnConnection = {
  readonly socket: Socket
  /** Calls `listener` when the listener has accepted; with TLS, after the handshake. */
  onOpen(listener: () => void): void
  /** Calls `listener` with an error of the socket, or of TLS. */
  onError(listener: (error: Error) => void): void
  destroy(): void
}

/** Open ones of this process, whichever part of it has made them. */
const ownSockets = new Set<Socket>()

/**
 * Whether a connection that a listener has accepted is one that this process made to it. Nobody else can have its
 * address and port meanwhile.
 */
export const isOwnConnection = (accepted: Duplex): boolean =>
  accepted instanceof Socket &&
  [...ownSockets].some(
    ({ localAddress, localPort }) =>
      localPort !== undefined && localPort === accepted.remotePort && localAddress === accepted.remoteAddress,
  )

/**
 * Connects to the broker's own listener: MQTT, or MQTT over TLS where there is nothing else; null where it has none but
 * the WebSocket. `proxyProtocol`: the load balancers; where this machine is one of them, it begins as theirs do.
 */
export function connectToOwn(
  { mqtt, mqtts }: Listeners,
  proxyProtocol: readonly string[] | null,
): OwnConnection | null {
  const url = mqtt ?? mqtts
  if (url === undefined) return null
  const { hostname, port } = new URL(url)
  const raw = connect({ host: hereOf(hostname), port: Number(port) })
  ownSockets.add(raw)
  raw.once('close', () => ownSockets.delete(raw))
  raw.once('connect', () => {
    if (proxyProtocol !== null && isAmong(proxyProtocol)(raw.localAddress ?? '')) raw.write(LOCAL_HEADER)
  })
  // Whose certificate it is, is not the question here.
  const socket = mqtt === undefined ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw
  return {
    socket,
    onOpen: (listener) => void socket.once(socket === raw ? 'connect' : 'secureConnect', listener),
    onError(listener) {
      raw.once('error', listener)
      if (socket !== raw) socket.once('error', listener)
    },
    destroy() {
      socket.destroy()
      raw.destroy()
    },
  }
}
