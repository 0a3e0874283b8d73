import { Account } from './account.ts'
import { openShelf } from './keep/open-shelf.ts'
import { type Fetch, Http, type Identity, type Now } from './send/http.ts'
import { type LoadMqtt, loadMqtt, MqttLine } from './send/mqtt-line.ts'
import type { Alarm } from './sos/alarm.ts'
import { Messages } from './sos/messages.ts'
import { type Battery, type Locate, Positions } from './sos/positions.ts'
import { Sos } from './sos/sos.ts'
import type { AlertFields, Position } from './wire/alert.ts'
import type { News } from './wire/news.ts'

export type TocsinOptions = Identity & {
  /**
   * The place for presses: in Node a folder, in browsers the name of a database (default `tocsin`). Node without a
   * folder keeps nothing: `state.kept` is false.
   */
  readonly storage?: string
  /** False: never. Default: the package `mqtt`, if it can be loaded. With a bundler: `() => import('mqtt')`. */
  readonly mqtt?: false | LoadMqtt
  /** Default: `url` with `wss:` and `/mqtt`. */
  readonly mqttUrl?: string
  /** Default: the browser's own, which may ask the person. Null: not known. */
  readonly position?: Locate
  /** 0 to 100. Default: the browser's own, where it has one. */
  readonly battery?: Battery
  readonly fetch?: Fetch
  /** The device's clock, epoch ms. Default: `Date.now`. */
  readonly now?: Now
}

/** The methods of `tocsin.sos`. */
export type SosCalls = Pick<Sos, 'press' | 'current' | 'alarms' | 'watch'> & {
  /** Talking with those who help, during the open alarm. */
  readonly messages: Messages
}

/** A user of a Tocsin service, on this device. Presses that an earlier start has kept go out at once. */
export class Tocsin extends Account {
  readonly sos: SosCalls
  readonly #closing = new AbortController()
  readonly #opened: Promise<Sos>

  constructor(options: TocsinOptions) {
    const http = new Http(options, options.fetch ?? ((url, init) => fetch(url, init)), options.now)
    // Set below, before anyone can listen.
    let watches =
      (_start: (sos: Sos) => () => void): (() => void) =>
      () => {}
    super(http, (listener) => watches((sos) => sos.remind(listener)))
    const { signal } = this.#closing
    const opened = this.#open(options, http)
    this.#opened = opened
    watches = (start) => {
      let stop = () => {}
      const stopped = new AbortController()
      void opened.then((sos) => {
        if (!stopped.signal.aborted && !signal.aborted) stop = start(sos)
      })
      return () => {
        stopped.abort()
        stop()
      }
    }
    this.sos = {
      press: async (fields?: AlertFields) => (await opened).press(fields),
      current: async () => (await opened).current(),
      alarms: async (): Promise<readonly Alarm[]> => (await opened).alarms(),
      watch: (listener) => watches((sos) => sos.watch(listener)),
      messages: new Messages({ http, signal, onNews: (listener) => watches((sos) => sos.onTalk(listener)) }),
    }
  }

  async #open({ storage, mqtt, mqttUrl, position, battery }: TocsinOptions, http: Http): Promise<Sos> {
    const { signal } = this.#closing
    const shelf = await openShelf(storage, http.identity)
    signal.addEventListener('abort', () => shelf.close())
    const random = Math.random
    let sos: Sos | null = null
    const needs = {
      ...{ http, random, load: mqtt || loadMqtt, url: mqttUrl ?? `${http.identity.url.replace(/^http/, 'ws')}/mqtt` },
      sdkUserId: () => this.#sdkUserId(http),
      heard: (news: News) => sos?.lineHeard(news),
      isUp: () => sos?.lineIsUp(),
    }
    const line = mqtt === false ? null : new MqttLine(needs)
    const positions = new Positions(http, line, { locate: position ?? located, battery: battery ?? charged })
    signal.addEventListener('abort', () => positions.send(false))
    sos = new Sos({ http, shelf, line, positions, random, signal })
    return sos
  }

  #userId: string | null = null

  async #sdkUserId(http: Http): Promise<string | null> {
    const answer = this.#userId === null ? await http.ask('GET', '/v1/sdk/me', undefined, this.#closing.signal) : null
    const id = (answer?.body as { readonly id?: unknown } | null)?.id
    if (typeof id === 'string') this.#userId = id
    return this.#userId
  }

  /** Goes on at once: call it when the app comes to the front, or the network is back. Browsers need no call. */
  async wake(): Promise<void> {
    ;(await this.#opened).wake()
  }

  /** Ends everything on this device. What is kept goes out at the next start. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#opened.catch(() => {})
  }
}

/** Globals that browsers have and Node lacks. */
type Device = {
  readonly getBattery?: () => Promise<{ readonly level: number }>
  readonly geolocation?: {
    getCurrentPosition(
      found: (position: { readonly coords: Position }) => void,
      failed: () => void,
      options: { readonly enableHighAccuracy: boolean; readonly timeout: number; readonly maximumAge: number },
    ): void
  }
}
const device = (): Device | undefined =>
  (globalThis as { readonly navigator?: unknown }).navigator as Device | undefined

const located: Locate = () =>
  new Promise((resolve) => {
    const geolocation = device()?.geolocation
    if (geolocation === undefined) return resolve(null)
    geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, altitude = null, accuracy = null } }) =>
        resolve({ latitude, longitude, altitude, accuracy }),
      () => resolve(null),
      { enableHighAccuracy: true, timeout: 12_000, maximumAge: 5_000 },
    )
  })

const charged: Battery = async () => {
  const battery = await device()?.getBattery?.()
  return battery === undefined ? null : battery.level * 100
}
