import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { userHash } from '../../src/core/account/user-hash.ts'
import { until } from './wait.ts'

export type EventMessage = {
  readonly type: string
  readonly incidentId: string
  readonly status: string
  readonly snapshotVersion?: number
  readonly actuators?: { readonly snapshotVersion: number; readonly items: readonly SnapshotItem[] }
  readonly acknowledgedAt: string | null
}

type SnapshotItem = {
  readonly type: string
  readonly status: string
  readonly outcome: string
  readonly contacts?: readonly {
    readonly name: string
    readonly status: string
    readonly acknowledgedAt?: string
    readonly channels: readonly { readonly channel: string; readonly status: string }[]
  }[]
  readonly deliveries?: readonly { readonly attempt: number; readonly status: string; readonly error?: string }[]
}

export type Answer = { readonly status: number; readonly body: any; readonly headers: Headers }

type Account = {
  readonly http: string
  readonly mqtt: string
  readonly appId: string
  readonly secret: string
  readonly externalUserId: string
  /** Of a device with the app in the box, in the place of the hash. */
  readonly credential?: string
}

/** A user of the integrator's app: a REST client and an MQTT client with the identity from their backend. */
export class PhoneUser {
  readonly account: Account
  readonly events: EventMessage[] = []
  readonly clients: MqttClient[] = []
  readonly #hash: string
  #userId: string | null = null

  constructor(account: Account) {
    this.account = account
    this.#hash = account.credential ?? userHash(account.secret, account.externalUserId)
  }

  get userId(): string {
    if (this.#userId === null) throw new Error('call introduce() first')
    return this.#userId
  }

  get hash(): string {
    return this.#hash
  }

  async rest(method: string, path: string, body?: unknown): Promise<Answer> {
    const { http, appId, externalUserId } = this.account
    const response = await fetch(`${http}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-app-id': appId,
        'x-user-id': Buffer.from(externalUserId, 'utf8').toString('latin1'),
        authorization: `Bearer ${this.#hash}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
  }

  /**
   * Reads the profile, as every client must before it can build a topic. On a busy machine the database may fall silent
   * for seconds: then the service says 503, and a client asks again.
   */
  async introduce(profile: Record<string, unknown> = {}): Promise<this> {
    const { status, body } = await until('the profile', async () => {
      const answer = await this.rest('PUT', '/v1/sdk/me', profile)
      return answer.status !== 503 && answer
    })
    if (status !== 200) throw new Error(`PUT /v1/sdk/me: ${status} ${JSON.stringify(body)}`)
    this.#userId = body.id as string
    return this
  }

  async connect(options: IClientOptions = {}): Promise<MqttClient> {
    const { mqtt: url, appId, externalUserId } = this.account
    const client = await mqtt.connectAsync(url, {
      username: `sdk:${appId}:${externalUserId}`,
      password: this.#hash,
      clientId: `svc_${appId}_${externalUserId}`,
      reconnectPeriod: 0,
      keepalive: 30,
      ...options,
    })
    this.clients.push(client)
    return client
  }

  /** Connects and subscribes to the user's own events. */
  async listen(options: IClientOptions = {}): Promise<MqttClient> {
    const client = await this.connect(options)
    client.on('message', (_topic, payload) => this.events.push(JSON.parse(payload.toString())))
    await client.subscribeAsync(`sos/events/${this.userId}`, { qos: 1 })
    return client
  }

  /** Presses SOS over MQTT and waits for the PUBACK. */
  async presses(payload: Record<string, unknown> = { timestamp: new Date().toISOString() }): Promise<void> {
    await this.publishes(`sos/alerts/${this.userId}`, payload)
  }

  async moves(payload: Record<string, unknown>): Promise<void> {
    await this.publishes(`tel/${this.userId}/data`, payload)
  }

  async publishes(topic: string, payload: Record<string, unknown> | string | Buffer): Promise<void> {
    const client = this.clients.at(-1)
    if (client === undefined) throw new Error('not connected')
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
    await client.publishAsync(topic, bytes, { qos: 1 })
  }

  /**
   * The types of the events from the first `processed` on. The state found by the subscription may precede it: with a
   * distant store, it is read after the press.
   */
  typesSincePress(): readonly string[] {
    const types = this.events.map(({ type }) => type)
    return types.slice(Math.max(0, types.indexOf('processed')))
  }

  /** Waits for the first event that matches. */
  async receives(type: string, fits: (event: EventMessage) => boolean = () => true): Promise<EventMessage> {
    return until(`${this.account.externalUserId} receives ${type}`, () =>
      this.events.find((event) => event.type === type && fits(event)),
    )
  }

  /** The open incident over REST, or null. */
  async openIncident(): Promise<any> {
    return (await this.rest('GET', '/v1/sdk/sos')).body.incident
  }

  /**
   * Ends the open incident by its name, as every app should. Without a name, a busy service that has just stood still
   * may leave it open. rules.md#ends.
   */
  async ends(how: 'cancel' | 'resolve') {
    const open = await this.openIncident()
    return this.rest('POST', `/v1/sdk/sos/${how}`, open === null ? undefined : { incidentId: open.incidentId })
  }

  async history(): Promise<any[]> {
    return (await this.rest('GET', '/v1/sdk/sos/history')).body.items
  }

  async disconnect(): Promise<void> {
    await Promise.all(this.clients.splice(0).map((client) => client.endAsync(true)))
  }
}
