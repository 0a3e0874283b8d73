import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Device } from './device.ts'
import { Line, type Sent } from './line.ts'
import type { Incident, Site } from './site.ts'

export const POSITION = { latitude: 47.0742, longitude: 12.6939 }
const FIELDS = { ...POSITION, mobileBattery: 64 }
/** The longest wait between two attempts, and a busy machine. */
export const LONGEST_WAIT_MS = 36_000
const STARTING_MS = 4_000
/** How far the time of a press may lie from the moment at which the client was told of it. */
const PROMPT_MS = 5_000

export type Phone = { readonly line: Line; readonly device: Device }
/** `must`: the client may lose or invent an alarm otherwise. `should`: it costs time, load or clarity. */
export type Finding = { readonly level: 'must' | 'should'; readonly text: string }

/** One situation's user, with one phone or two. */
export class Stage {
  readonly userId: string
  readonly findings: Finding[] = []
  readonly phones: Phone[] = []
  readonly isShort: boolean
  readonly #site: Site
  readonly #client: Client
  readonly #sdkUserId: string
  /** This machine's clock at the press, epoch ms. */
  pressedAt = 0

  private constructor(site: Site, client: Client, userId: string, sdkUserId: string, isShort: boolean) {
    this.#site = site
    this.#client = client
    this.userId = userId
    this.#sdkUserId = sdkUserId
    this.isShort = isShort
  }

  static async open(site: Site, client: Client, name: string, isShort: boolean): Promise<Stage> {
    const userId = `${name}-${randomUUID()}`
    return new Stage(site, client, userId, await site.sdkUserId(userId), isShort)
  }

  /** A phone of this user. `first`: the hash that it is started with, if that is another than the right one. */
  async phone(first?: string): Promise<Phone> {
    const right = this.#site.hashOf(this.userId)
    const line: Line = new Line(this.#site, () => (first === undefined || line.unauthorized > 0 ? right : first))
    await line.open()
    const store = join(this.#site.directory, `${this.userId}-${this.phones.length}`)
    await mkdir(store, { mode: 0o700 })
    const { ca } = this.#site.tls
    const outer = Object.entries(process.env).filter(([name]) => !/^(?:TOCSIN_|NODE_)/.test(name))
    const env = {
      ...(Object.fromEntries(outer) as Record<string, string>),
      TOCSIN_URL: `https://localhost:${line.httpsPort}`,
      TOCSIN_MQTT_HOST: 'localhost',
      TOCSIN_MQTT_PORT: `${line.mqttPort}`,
      TOCSIN_CA: ca,
      TOCSIN_APP_ID: this.#site.appId,
      TOCSIN_USER_ID: this.userId,
      TOCSIN_USER_HASH: line.hash(),
      TOCSIN_USER_HASH_URL: `http://127.0.0.1:${line.backendPort}/user-hash`,
      TOCSIN_SDK_USER_ID: this.#sdkUserId,
      TOCSIN_STORE: store,
      NODE_EXTRA_CA_CERTS: ca,
      SSL_CERT_FILE: ca,
    }
    const phone = { line, device: new Device(this.#client, env, () => line.elapsed) }
    this.phones.push(phone)
    return phone
  }

  get site(): Site {
    return this.#site
  }

  /** Has come up: is connected, or had time enough for it. */
  async started({ line }: Phone): Promise<void> {
    const isProgram = this.#client.kind === 'program'
    const mayConnect = isProgram && !line.faults.mqttIsOff() && line.weather === 'up'
    await this.until(() => line.admitted > 0 || (!mayConnect && line.knocks > 0), isProgram ? STARTING_MS : 500)
    await sleep(500)
  }

  press({ line, device }: Phone, fields: object | string = FIELDS): void {
    line.begin()
    this.pressedAt = Date.now()
    device.press(fields)
  }

  /** Whether `is` became true in time. */
  async until(is: () => boolean, ms: number): Promise<boolean> {
    const end = performance.now() + ms
    while (!is() && performance.now() < end) await sleep(25)
    return is()
  }

  must(is: boolean, text: string): void {
    if (!is) this.findings.push({ level: 'must', text })
  }

  should(is: boolean, text: string): void {
    if (!is) this.findings.push({ level: 'should', text })
  }

  /** Waits until the client knows that its press is on the server, and judges what every press has to fulfil. */
  async arrives({ line, device }: Phone, withinMs: number): Promise<void> {
    const told = await this.until(() => line.acknowledged.length > 0, withinMs)
    // What it still does although it knows, or says although it does not.
    await sleep(1_500)
    const incidents = await this.incidents()
    const seconds = Math.round(withinMs / 1_000)
    this.must(incidents.length > 0, `no alarm was raised within ${seconds} s`)
    this.must(incidents.length < 2, `${incidents.length} alarms were raised by one press`)
    if (incidents.length > 0) this.must(told, `it never learned that the press is on the server, and gave up or waits`)
    this.#judgePresses(line)
    const [first] = line.acknowledged
    const claim = device.said(/\bon the server\b/i)
    this.must(
      claim === undefined || (first !== undefined && claim.at >= first - 50),
      'it said "on the server" before that was true',
    )
    const late = pressesOf(line).filter(({ at }) => first !== undefined && at > first + 1_000)
    this.should(late.length < 2, 'it went on sending a press that was acknowledged')
  }

  #judgePresses(line: Line): void {
    const times = new Set(pressesOf(line).map(({ body }) => timeOf(body)))
    this.must(!times.has(null), 'it sent a press without a readable time')
    this.must(times.size < 2, 'it changed the time of the press when it sent it again')
    const [time] = times
    const isPrompt = time == null || Math.abs(time - this.pressedAt) < PROMPT_MS
    this.must(isPrompt, 'the time that it sent is not that of the press')
  }

  async incidents(): Promise<readonly Incident[]> {
    return this.#site.incidents(this.userId)
  }

  async close(): Promise<void> {
    for (const { device } of this.phones) device.kill()
    await Promise.all(this.phones.map(({ line }) => line.close()))
  }
}

export const pressesOf = ({ sent }: Line): readonly Sent[] => sent.filter(({ kind }) => kind === 'press')
export const endsOf = ({ sent }: Line): readonly Sent[] => sent.filter(({ kind }) => kind === 'end')

function timeOf(body: Sent['body']): number | null {
  const text = body?.timestamp ?? body?.occurredAt
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : time
}

/** Whether an end names its alarm. protocol.md: `incidentId`, or `alert` with the time of the press. */
export const isNamed = ({ body }: Sent): boolean =>
  typeof body?.incidentId === 'string' || timeOf((body?.alert ?? null) as Sent['body']) !== null
