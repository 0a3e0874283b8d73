import type { Duplex } from 'node:stream'
import type { PendingConnection } from './pending-connections.ts'

/** How a connection arrived. */
export const mqttTransports = ['tcp', 'tls', 'ws', 'wss'] as const
export type MqttTransport = (typeof mqttTransports)[number]

/** The other end of a connection. `pending`: its entry among the pending connections, if it already has one. */
export type Remote = { readonly address: string; readonly way: MqttTransport; readonly pending?: PendingConnection }

export type Accepting = {
  /** Registers an accepted connection, before any TLS handshake. */
  readonly meet: (address: string, connection: Duplex) => PendingConnection
  /** Takes it over. */
  readonly accept: (stream: Duplex, remote: Remote) => void
  /** Returns what starts a piece of work when it is the turn of this address. */
  readonly turnOf: (address: string) => (piece: () => void) => void
}
