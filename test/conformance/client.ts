/** How the broker is reached. `ca`: the file with the authority to trust, where there is TLS. */
export type Way = { readonly transport: 'tcp' | 'tls' | 'ws' | 'wss'; readonly url: string; readonly ca: string | null }

export type Will = { readonly topic: string; readonly payload: string; readonly retain: boolean }

export type ConnectOrder = {
  readonly way: Way
  readonly version: 4 | 5
  readonly clientId: string
  readonly username: string
  readonly password: string
  readonly clean: boolean
  readonly keepalive: number
  readonly will?: Will
  /** MQTT 5 only, by the names of its section 2.2.2.2. The user property is always sent along. */
  readonly asks?: {
    readonly sessionExpiryInterval?: number
    readonly receiveMaximum?: number
    readonly maximumPacketSize?: number
  }
}

export type Connack = {
  /** Return code or reason code. */
  readonly code: number
  readonly sessionPresent: boolean
  /** Of MQTT 5; yes and no as 1 and 0. */
  readonly properties: Readonly<Record<string, unknown>>
}

export type Message = {
  readonly topic: string
  readonly payload: string
  readonly qos: number
  readonly retain: boolean
}

/**
 * One client of whatever library, which speaks to the broker once. On MQTT 5 it sends every property that
 * the packet may have.
 */
export type Client = {
  readonly messages: readonly Message[]
  /** Null until the connection has ended; then the reason code of the DISCONNECT, or null where there was none. */
  readonly ended: { readonly code: number | null } | null
  connect(order: ConnectOrder): Promise<Connack>
  /** The codes of the SUBACK. */
  subscribe(...topics: readonly string[]): Promise<readonly number[]>
  /** The codes of the UNSUBACK; 3.1.1 has none. */
  unsubscribe(...topics: readonly string[]): Promise<readonly number[]>
  /** The code of the PUBACK or PUBREC; 0 at QoS 0. Rejects where the connection ends instead. */
  publish(topic: string, payload: string, qos: 0 | 1 | 2, retain?: boolean): Promise<number>
  /** Leaves in good order, on MQTT 5 with this reason code. */
  disconnect(code?: number): void
  /** Is cut off. */
  drop(): void
  /** Goes, whatever state it is in. */
  close(): Promise<void>
}

export type Library = { readonly name: string; readonly client: () => Client }
