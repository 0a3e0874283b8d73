import { connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { isAmong } from '../adapters/inbound/http/client-address.ts'
import { SECOND } from '../lib/durations.ts'
import { LOCAL_HEADER } from '../lib/proxy-header.ts'
import type { Listeners } from './listeners.ts'

/** The local address of a listener that may be bound to every address. */
export const localAddressOf = (hostname: string): string => {
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

/** Open connections made by any part of this process. */
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
 * Connects to the broker's own listener: MQTT, else MQTT over TLS; null if only the WebSocket is on. `proxyProtocol`:
 * the load balancers; if this machine is one of them, the connection begins as theirs do.
 */
export function connectToOwn(
  { mqtt, mqtts }: Listeners,
  proxyProtocol: readonly string[] | null,
): OwnConnection | null {
  const url = mqtt ?? mqtts
  return url === undefined ? null : connectTo(url, mqtt === undefined, proxyProtocol)
}

/** Connects to a listener of the service on this machine, `secure` with TLS. `proxyProtocol`: as in `connectToOwn`. */
export function connectTo(url: string, secure: boolean, proxyProtocol: readonly string[] | null): OwnConnection {
  const { hostname, port } = new URL(url)
  const raw = connect({ host: localAddressOf(hostname), port: Number(port) })
  ownSockets.add(raw)
  raw.once('close', () => ownSockets.delete(raw))
  raw.once('connect', () => {
    if (proxyProtocol !== null && isAmong(proxyProtocol)(raw.localAddress ?? '')) raw.write(LOCAL_HEADER)
  })
  // The check is about the listener, not about its certificate.
  const socket = secure ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw
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

const PATIENCE_MS = 5 * SECOND
/**
 * A CONNECT of an unknown protocol level: the broker has to answer it without identifying the client (MQTT 3.1.1,
 * 3.1.2.2).
 */
const KNOCK = Buffer.from([0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 10, 0, 0])

/** An answer is reused for this long: monitors may ask every second, and each check is a connection. */
const FRESH_MS = 10 * SECOND

/** `brokerAnswers`, with each answer reused for a while. */
export function brokerAnswering(
  listeners: () => Listeners,
  proxyProtocol: readonly string[] | null,
): () => Promise<void> {
  let answeredAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - answeredAt < FRESH_MS) return
    await brokerAnswers(listeners(), proxyProtocol)
    answeredAt = performance.now()
  }
}

/**
 * Knocks at the broker's own listener, and resolves when it answers; at once if only the WebSocket is on. This needs
 * accepting, reading and writing, which fail once file descriptors have run out. `proxyProtocol`: the load balancers;
 * if this machine is one of them, the knock begins as theirs do.
 */
export async function brokerAnswers(
  listeners: Listeners,
  proxyProtocol: readonly string[] | null = null,
): Promise<void> {
  const own = connectToOwn(listeners, proxyProtocol)
  if (own === null) return
  const { socket } = own
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(PATIENCE_MS, () => reject(new Error('does not answer on its own listener')))
      own.onError(reject)
      socket.once('close', () => reject(new Error('closed the connection without an answer')))
      socket.once('data', () => resolve())
      own.onOpen(() => socket.write(KNOCK))
    })
  } finally {
    own.destroy()
  }
}
