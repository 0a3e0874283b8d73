import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type StoreOptions } from '../../src/adapters/stores/sqlite/open-store.ts'
import type { Actuators } from '../../src/core/account/actuator.ts'
import { newApplication } from '../../src/core/account/new-application.ts'
import type { Settings } from '../../src/core/account/settings.ts'
import type { HttpCaller } from '../../src/ports/http-caller.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Service, startService } from '../../src/service.ts'
import type { Ending } from './ending.ts'
import { type HttpEar, listen } from './listener.ts'
import { PhoneUser } from './phone-user.ts'
import { lookInto, newSiteStore, STRIDE_MS, storeConfig } from './site-store.ts'
import { testConfig } from './test-config.ts'
import { VirtualClock } from './virtual-clock.ts'
import { type AskedTurns, onVirtualClock } from './virtual-turns.ts'
import { until } from './wait.ts'

export type SiteOptions = {
  readonly contacts?: readonly string[]
  readonly settings?: Partial<Settings>
  readonly chat?: boolean
  readonly webhook?: boolean
  readonly contactGateway?: boolean
  readonly legacy?: boolean
  readonly allowedPrefixes?: readonly string[]
  readonly fallbackContact?: { readonly name: string; readonly phone: string }
  readonly protocolVersion?: 4 | 5
  /** When the clock starts, epoch ms. Default: a fixed day. */
  readonly now?: number
  /** Overrides for the configuration of a site under test. */
  readonly config?: Record<string, unknown>
  /** Reaches a push service of the test's own. */
  readonly pushCaller?: HttpCaller
}

const APP_ID = '0190aaaa-0000-7000-8000-000000000001'
const SECRET = 'the application secret of the test site'

/** The store as commands open it, in this thread: to start a thread takes longer than most tests. */
export const openStoreHere = (options: StoreOptions): ReturnType<typeof openStore> =>
  openStore({ ...options, writesOnDemand: true })

/**
 * A whole site with one user who has contacts: the real service on free loopback ports and a real store, on a virtual
 * clock. Ends with the test.
 */
export async function startSite(t: Ending, options: SiteOptions = {}): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-site-'))
  const clock = new VirtualClock(options.now)
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const log = { info: note, warn: note, error: note }
  const siteStore = await newSiteStore(dataDir)
  const config = { ...storeConfig(siteStore), ...options.config }
  const service = await startService(testConfig(dataDir, config), {
    clock,
    log,
    // The machine cannot vouch for a clock of the test's own, and to ask it takes a process.
    isSynchronised: async () => false,
    openStore: openStoreHere,
    ...(options.pushCaller && { pushCaller: options.pushCaller }),
  })
  const turns = onVirtualClock(service.store.turns, clock)
  const [chat, webhook, gateway] = await Promise.all([listen(t), listen(t), listen(t)])
  const users: PhoneUser[] = []
  t.after(async () => {
    await Promise.all(users.map((user) => user.disconnect()))
    await service.stop()
    await siteStore.remove()
    await rm(dataDir, { recursive: true, force: true })
  })

  const actuators: Actuators = {
    emergency_contacts: options.contactGateway ? { httpUrl: gateway.url } : {},
    ...(options.chat && { chat: { url: chat.url, format: 'text' as const } }),
    ...(options.webhook && { webhook: { url: webhook.url } }),
  }
  const { settings = {}, legacy = false, allowedPrefixes = [], fallbackContact = null } = options
  const application = newApplication({
    id: APP_ID,
    name: 'Hut',
    language: 'en',
    legacy,
    settings,
    actuators,
    allowedPrefixes,
    timeZone: 'UTC',
    fallbackContact,
    createdAt: clock.now(),
  })
  await service.store.createApplication(application, SECRET)
  const newUser = (externalUserId: string): PhoneUser => {
    const { http = '', mqtt = '' } = service.listeners
    const user = new PhoneUser({ http, mqtt, appId: APP_ID, secret: SECRET, externalUserId })
    users.push(user)
    return user
  }
  const user = await newUser('hiker-1').introduce({ name: 'Mia Moser' })
  await user.listen({ protocolVersion: options.protocolVersion ?? 4 })
  const site = new Site({
    service,
    clock,
    turns,
    user,
    newUser,
    chat,
    webhook,
    gateway,
    lines,
    dataDir,
    url: siteStore.url,
  })
  for (const name of options.contacts ?? []) await site.addContact(name)
  return site
}

type Started = {
  readonly service: Service
  readonly clock: VirtualClock
  readonly turns: AskedTurns
  readonly user: PhoneUser
  readonly newUser: (externalUserId: string) => PhoneUser
  readonly chat: HttpEar
  readonly webhook: HttpEar
  readonly gateway: HttpEar
  readonly lines: readonly string[]
  readonly dataDir: string
  readonly url: string | null
}

export class Site {
  readonly user: PhoneUser
  readonly chat: HttpEar
  readonly webhook: HttpEar
  readonly gateway: HttpEar
  readonly service: Service
  readonly clock: VirtualClock
  readonly newUser: Started['newUser']
  readonly dataDir: string
  readonly #turns: AskedTurns
  readonly #url: string | null
  readonly #lines: readonly string[]
  readonly #numbers = new Map<string, string>()

  constructor(started: Started) {
    this.user = started.user
    this.chat = started.chat
    this.webhook = started.webhook
    this.gateway = started.gateway
    this.service = started.service
    this.clock = started.clock
    this.newUser = started.newUser
    this.dataDir = started.dataDir
    this.#turns = started.turns
    this.#url = started.url
    this.#lines = started.lines
  }

  /** Advances the clock and lets everything that becomes due on the way happen. */
  async advance(text: string): Promise<void> {
    await this.clock.advance(text, () => this.#settled(), STRIDE_MS)
    await this.#settled()
  }

  /** Resolves when nothing is being looked at or sent, nor asked of an account that nodes share. */
  async #settled(): Promise<void> {
    await this.service.settled()
    while (this.#turns.areWaiting) {
      await this.#turns.answered()
      await this.service.settled()
    }
  }

  /** Works on the store as a command beside the service does. */
  beside<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return lookInto({ dataDir: this.dataDir, url: this.#url }, work)
  }

  async addContact(name: string): Promise<void> {
    const phone = `+43660000${String(this.#numbers.size + 1).padStart(4, '0')}`
    const { status } = await this.user.rest('POST', '/v1/sdk/contacts', { name, phone })
    assert.equal(status, 201)
    this.#numbers.set(name, phone)
  }

  phoneAt(number: string): ContactPhone {
    return new ContactPhone(this.service, number)
  }

  phone(name: string): ContactPhone {
    const number = this.#numbers.get(name)
    if (number === undefined) throw new Error(`no contact is called ${name}`)
    return this.phoneAt(number)
  }

  /** Log lines that match. */
  logged(pattern: RegExp): readonly string[] {
    return this.#lines.filter((line) => pattern.test(line))
  }
}

/** What arrives at one contact's number, according to the outbox. */
class ContactPhone {
  readonly #service: Service
  readonly #number: string

  constructor(service: Service, number: string) {
    this.#service = service
    this.#number = number
  }

  async messages() {
    const all = await this.#service.store.outbox({ incidentId: null })
    return all.filter((message) => message.to === this.#number)
  }

  async hasNothing(): Promise<void> {
    assert.deepEqual(await this.messages(), [])
  }

  /** The channels of everything that arrived, in order. */
  async gotOnly(channels: readonly string[]): Promise<void> {
    assert.deepEqual(
      (await this.messages()).map((message) => message.channel),
      channels,
    )
  }

  async receivesSms(pattern: RegExp): Promise<string> {
    return until(`an SMS like ${pattern}`, async () =>
      (await this.messages()).map((message) => message.text).find((text) => pattern.test(text)),
    )
  }

  /** The link in the first message, as this service answers it: its `publicUrl` may lead elsewhere. */
  async link(): Promise<string> {
    const text = await this.receivesSms(/\/t\//)
    const [, path] = /https?:\/\/[^\s/]+(\/t\/[\w-]+)/.exec(text)!
    return `${this.#service.listeners.http}${path}`
  }

  /** Opens the link and presses the button, as a browser does. */
  async pressesTheButton(): Promise<void> {
    const link = await this.link()
    const page = await fetch(link)
    assert.equal(page.status, 200)
    const answer = await fetch(`${link}/ack`, { method: 'POST', redirect: 'manual' })
    assert.equal(answer.status, 303)
  }
}
