import type { Duplex } from 'node:stream'
import type { LoopTurns } from '../../../../lib/loop-turns.ts'
import type { Places } from '../../../../lib/places.ts'
import type { Balancers } from '../../door/balancers.ts'
import { listen } from '../../door/listen.ts'
import type { Address } from '../../door/listen-widely.ts'
import type { Certificate } from '../../door/secure.ts'
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
}

export type Listener = {
  /** `mqtt://host:port` or `mqtts://host:port` as bound. */
  readonly url: string
  /** Stops accepting; open connections stay. */
  close(): Promise<void>
}

type Listens = Accepting & {
  readonly loop: LoopTurns
  readonly balancers: Balancers | null
  readonly places?: Places | undefined
  readonly isOwn?: ((connection: Duplex) => boolean) | undefined
  /** With TLS: the certificate, and how long a client may take for its handshake, in ms. */
  readonly tls: { readonly certificate: Certificate; readonly handshakeMs: number } | null
}

/** Listens for MQTT, over TLS if it has a certificate. Rejects if the address is unavailable. */
export async function listenOn(
  at: Address,
  { meet, accept, loop, balancers, places, isOwn, tls }: Listens,
): Promise<Listener> {
  const way = tls === null ? 'tcp' : 'tls'
  const listening = await listen(at, {
    loop,
    balancers,
    places,
    ...(isOwn && { isOwn }),
    ...(tls && { tls: { ...tls, protocols: [] } }),
    meet(connection, client) {
      const pending = meet(client.address, connection)
      return (stream) => accept(stream, { address: client.address, way, pending })
    },
  })
  const { address, port, family } = listening.address
  return {
    url: `${tls === null ? 'mqtt' : 'mqtts'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => listening.close(),
  }
}
