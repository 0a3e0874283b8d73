import type { Alert } from '../wire/alert.ts'
import type { News } from '../wire/news.ts'
import { delayMs } from './backoff.ts'
import type { Http } from './http.ts'
import { anyOf, gone, newId, rest } from './rest.ts'

// The little of `mqtt` that is used: an app without the package has no types of it.
type Client = {
  on(event: 'message', heard: (topic: string, payload: Uint8Array) => void): unknown
  on(event: 'error', failed: (error: Error) => void): unknown
  once(event: 'close', closed: () => void): unknown
  subscribeAsync(topic: string, options: { readonly qos: 1 }): Promise<unknown>
  publishAsync(topic: string, message: string, options: { readonly qos: 1 }): Promise<unknown>
  endAsync(force: boolean): Promise<unknown>
}
type Mqtt = { connectAsync(url: string, options: object, allowRetries: boolean): Promise<Client> }
/** `() => import('mqtt')`. */
export type LoadMqtt = () => Promise<Mqtt>

/** As a bare name: a bundler that finds no such package must not fail. Such apps give `mqtt: () => import('mqtt')`. */
const NAME = 'mqtt'
export const loadMqtt: LoadMqtt = () => import(/* @vite-ignore */ /* webpackIgnore: true */ NAME)

type Needs = {
  readonly http: Http
  readonly load: LoadMqtt
  readonly url: string
  readonly random: () => number
  /** The service's id of the user: topics have it. Null: not known yet, and there is no way to ask. */
  readonly sdkUserId: () => Promise<string | null>
  readonly heard: (news: News) => void
  /** The line is up: ask for everything that happened meanwhile. */
  readonly isUp: () => void
}
type Up = { readonly client: Client; readonly userId: string; readonly lost: AbortSignal }

/** One connection to the service's broker, kept up while it is wanted. */
export class MqttLine {
  readonly #needs: Needs
  /** Of its own: two phones of one user must not take over each other's connection. */
  readonly #clientId = `svc_${newId()}`
  #up: Up | null = null
  /** Replaced, and the last one called, whenever there is news of the connection. */
  #changed = () => {}
  #change = this.#nextChange()
  /** Nothing to expect of it: the package is missing, or the last attempt failed. */
  hasFailed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** While it is up: aborts when it is lost. */
  get lost(): AbortSignal | null {
    return this.#up === null || this.#up.lost.aborted ? null : this.#up.lost
  }

  /** Resolves when it is up, or has failed, or `signal` has aborted. */
  async tried(signal: AbortSignal): Promise<void> {
    while (this.#up === null && !this.hasFailed && !signal.aborted) await Promise.race([this.#change, gone(signal)])
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve
    })
  }

  #is(up: Up | null, hasFailed: boolean): void {
    this.#up = up
    this.hasFailed = hasFailed
    this.#changed()
    this.#change = this.#nextChange()
  }

  /** Keeps it up until `signal`. */
  async run(signal: AbortSignal): Promise<void> {
    const mqtt = await this.#needs.load().catch(() => null)
    if (mqtt === null) this.#is(null, true)
    for (let attempt = 0; mqtt !== null && !signal.aborted; attempt += 1) {
      const up = await this.#connect(mqtt, signal).catch(() => null)
      if (up !== null && !signal.aborted) {
        attempt = 0
        this.#is(up, false)
        this.#needs.isUp()
        await gone(anyOf(signal, up.lost))
      }
      if (this.#up === up) this.#is(null, up === null && !signal.aborted)
      if (up !== null) await up.client.endAsync(true).catch(() => {})
      await rest(delayMs(attempt, 0, this.#needs.random()), signal)
    }
  }

  async #connect(mqtt: Mqtt, signal: AbortSignal): Promise<Up | null> {
    const { http, url, heard, sdkUserId } = this.#needs
    const userId = await sdkUserId()
    if (userId === null || signal.aborted) return null
    const { appId, userId: externalId } = http.identity
    const options = {
      username: `sdk:${appId}:${externalId}`,
      password: await http.hash(),
      clientId: this.#clientId,
      protocolVersion: 5 as const,
      keepalive: 30,
      reconnectPeriod: 0,
      connectTimeout: 10_000,
    }
    const client = await mqtt.connectAsync(url, options, false).catch((error) => {
      // CONNACK 0x86, 0x87, or 5 of an older broker.
      if ([5, 134, 135].includes(error?.code)) http.forget()
      throw error
    })
    const lost = new AbortController()
    client.on('error', () => {})
    client.once('close', () => lost.abort())
    client.on('message', (_topic, payload) => {
      try {
        heard(JSON.parse(new TextDecoder().decode(payload)))
      } catch {
        // No event of the service.
      }
    })
    await client.subscribeAsync(`sos/events/${userId}`, { qos: 1 }).catch((error) => {
      void client.endAsync(true).catch(() => {})
      throw error
    })
    // A broker that knows no timers refuses it: alarms need none.
    void client.subscribeAsync(`sos/timers/${userId}`, { qos: 1 }).catch(() => {})
    // An earlier service has none.
    void client.subscribeAsync(`sos/messages/${userId}`, { qos: 1 }).catch(() => {})
    return { client, userId, lost: lost.signal }
  }

  /** Resolves with true at the PUBACK, and with false if the line is lost or `signal` aborts before. */
  async publishes(kind: 'press' | 'position', payload: Alert, signal: AbortSignal): Promise<boolean> {
    await this.tried(signal)
    if (this.#up === null || signal.aborted) return false
    const { client, userId, lost } = this.#up
    const topic = kind === 'press' ? `sos/alerts/${userId}` : `tel/${userId}/data`
    const acknowledged = client.publishAsync(topic, JSON.stringify(payload), { qos: 1 }).then(
      () => true,
      () => false,
    )
    return Promise.race([acknowledged, gone(anyOf(lost, signal)).then(() => false)])
  }
}
