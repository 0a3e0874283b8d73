import type { Duplex } from 'node:stream'
import type { PendingConnection } from './pending-connections.ts'

/** How a connection arrived. */
export const mqttTransports = ['tcp', 'tls', 'ws', 'wss'] as const
export type MqttTransport = (typeof mqttTransports)[number]

/** The other end of a connection. */
export type Remote = { readonly address: string; readonly way: MqttTransport }

export type Accepting = {
  /** Takes a new connection over. */
  readonly accept: (stream: Duplex, remote: Remote) => PendingConnection
  /** Returns what starts a piece of work when it is the turn of this address. */
  readonly turnOf: (address: string) => (piece: () => void) => void
}
