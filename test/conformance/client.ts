import type { Ending } from '../harness/ending.ts'

/** How to reach the broker. `ca`: the file with the CA to trust, for TLS. */
export type Way = { readonly transport: 'tcp' | 'tls' | 'ws' | 'wss'; readonly url: string; readonly ca: string | null }

type Will = { readonly topic: string; readonly payload: string; readonly retain: boolean }

export type ConnectOrder = {
  readonly way: Way
  readonly version: 4 | 5
  readonly clientId: string
  readonly username: string
  readonly password: string
  readonly clean: boolean
  readonly keepalive: number
  readonly will?: Will
  /** MQTT 5 only, with the names of section 2.2.2.2 of the standard. A user property is always sent too. */
  readonly asks?: {
    readonly sessionExpiryInterval?: number
    readonly receiveMaximum?: number
    readonly maximumPacketSize?: number
  }
}

type Connack = {
  /** Return code or reason code. */
  readonly code: number
  readonly sessionPresent: boolean
  /** MQTT 5 only; booleans as 1 and 0. */
  readonly properties: Readonly<Record<string, unknown>>
}

export type Message = {
  readonly topic: string
  readonly payload: string
  readonly qos: number
  readonly retain: boolean
}

/**
 * A client of any library for one connection to the broker. On MQTT 5 it sends every property that a packet may have.
 */
export type Client = {
  readonly messages: readonly Message[]
  /** Null until the connection has ended. Then the reason code of the DISCONNECT, or null if there was none. */
  readonly ended: { readonly code: number | null } | null
  connect(order: ConnectOrder): Promise<Connack>
  /** Resolves with the codes of the SUBACK. */
  subscribe(...topics: readonly string[]): Promise<readonly number[]>
  /** Resolves with the codes of the UNSUBACK; 3.1.1 has none. */
  unsubscribe(...topics: readonly string[]): Promise<readonly number[]>
  /** Resolves with the code of the PUBACK or PUBREC; 0 at QoS 0. Rejects if the connection ends first. */
  publish(topic: string, payload: string, qos: 0 | 1 | 2, retain?: boolean): Promise<number>
  /** Sends DISCONNECT, on MQTT 5 with this reason code. */
  disconnect(code?: number): void
  /** Cuts the connection without a DISCONNECT. */
  drop(): void
  /** Releases the client in any state. */
  close(): Promise<void>
}

export type Library = {
  readonly name: string
  /** Starts what its clients share, until the test ends. Each call of the result makes a client. */
  start(t: Ending): () => Client
}
