import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store.ts'
import type { Environment } from './command-line.ts'
import type { Ending } from './ending.ts'
import { PhoneUser } from './phone-user.ts'
import { type Looks, looksInto, newSiteStore, openBeside, type SiteStore } from './site-store.ts'
import { command, TocsinProcess, tocsin } from './tocsin-process.ts'

export type ApplicationOptions = {
  /** Escalation settings as command-line options: `{ 'grace-seconds': 0.2 }`. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** URL of a webhook. */
  readonly webhook?: string
  readonly legacy?: boolean
}

export type ProcessSiteOptions = ApplicationOptions & {
  readonly env?: Environment
  /** The data directory. Default: one that is removed with the test. */
  readonly dataDir?: string
  /** One that exists already: of another node on the same database, which `env` names. */
  readonly application?: Application
  /** A command that runs the service: `['prlimit', '--nofile=4096']`. */
  readonly launcher?: readonly string[]
}

/** Nothing is due within a test, for tests about something else. */
export const UNHURRIED = { 'grace-seconds': 3600 } as const

/**
 * A site whose service is the real process, set up through the real command line, in real time. It can be killed and
 * started again on the same data. It ends with the test, and everything the process wrote is then searched for what
 * must not be in a log.
 */
export async function startProcessSite(t: Ending, options: ProcessSiteOptions = {}): Promise<ProcessSite> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tocsin-process-')))
  const { launcher = [] } = options
  const { env, store } = await storeFor(options.env ?? {}, options.dataDir === undefined ? dataDir : null)
  const application = options.application ?? (await createApplication(commandsOn(dataDir, env), options))
  const site = new ProcessSite(
    {
      ...{ dataDir, env, url: store.url, launcher, users: [], runs: [], secrets: new Set() },
      looks: looksInto({ dataDir, url: store.url }),
    },
    application,
  )
  t.after(async () => {
    await site.end()
    await store.remove()
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  })
  await site.start()
  return site
}

/** The store that the test has chosen, or a new one of the kind that this run is about. `dataDir`: if it is new. */
async function storeFor(
  env: Environment,
  dataDir: string | null,
): Promise<{ readonly env: Environment; readonly store: SiteStore }> {
  const chosen = env.TOCSIN_STORE_URL
  if (chosen !== undefined) return { env, store: { url: chosen, remove: () => Promise.resolve() } }
  const store = await newSiteStore(dataDir)
  return { env: store.url === null ? env : { ...env, TOCSIN_STORE_URL: store.url }, store }
}

type Commands = ReturnType<typeof commandsOn>

const commandsOn =
  (dataDir: string, env: Environment) =>
  (...args: readonly string[]): Promise<any> =>
    command(dataDir, args, env)

async function createApplication(command: Commands, options: ApplicationOptions): Promise<Application> {
  // The stories count what leaves, and a new contact who is asked to confirm would be a text of no incident.
  const given = ['--verify-contacts', 'off', ...(options.legacy ? ['--legacy'] : [])]
  const { appId, secret } = await command('app', 'create', '--name', 'Hut', ...given)
  const settings = Object.entries(options.settings ?? {}).flatMap(([name, value]) => [`--${name}`, String(value)])
  if (settings.length > 0) await command('app', 'actuator', 'set', appId, 'emergency_contacts', ...settings)
  if (options.webhook !== undefined) {
    await command('app', 'actuator', 'set', appId, 'webhook', '--url', options.webhook)
  }
  return { appId, secret }
}

type Application = { readonly appId: string; readonly secret: string }

/** The service of a site, shared by its applications. */
type Machine = {
  readonly dataDir: string
  readonly env: Environment
  /** `store.url`. Null: SQLite. */
  readonly url: string | null
  readonly looks: Looks
  readonly launcher: readonly string[]
  readonly users: PhoneUser[]
  readonly runs: TocsinProcess[]
  /** What must never be in a log line, in any test. */
  readonly secrets: Set<string>
}

/** The service, seen from one of its applications. */
export class ProcessSite {
  readonly appId: string
  readonly secret: string
  readonly #machine: Machine

  constructor(machine: Machine, { appId, secret }: Application) {
    this.#machine = machine
    this.appId = appId
    this.secret = secret
    machine.secrets.add(secret)
  }

  /** Another application of the same service. */
  async application(options: ApplicationOptions = {}): Promise<ProcessSite> {
    return new ProcessSite(this.#machine, await createApplication((...args) => this.tocsin(...args), options))
  }

  get dataDir(): string {
    return this.#machine.dataDir
  }

  /** `store.url`. Null: SQLite. */
  get url(): string | null {
    return this.#machine.url
  }

  /** The current process, or the last one. */
  get process(): TocsinProcess {
    const last = this.#machine.runs.at(-1)
    if (last === undefined) throw new Error('not started')
    return last
  }

  get http(): string {
    return this.process.http
  }

  get mqtt(): string {
    return this.process.mqtt
  }

  /** The output of all runs so far. */
  get output(): string {
    return this.#machine.runs.map((run) => run.output).join('')
  }

  async start(more: Environment = {}): Promise<void> {
    this.#machine.runs.push(
      await TocsinProcess.start(this.dataDir, { ...this.#machine.env, ...more }, this.#machine.launcher),
    )
  }

  /** SIGKILL. Connected clients are dropped: a phone opens a new connection. */
  async kill(): Promise<void> {
    await this.process.kill()
    await this.#hangUp()
  }

  async stop(): Promise<number | null> {
    const code = await this.process.stop()
    await this.#hangUp()
    return code
  }

  async end(): Promise<void> {
    await this.#hangUp()
    await this.#machine.looks.close()
    for (const run of this.#machine.runs) await run.kill()
    const { output } = this
    for (const secret of this.#machine.secrets) assert.ok(!output.includes(secret), 'a secret is in the log')
  }

  async #hangUp(): Promise<void> {
    await Promise.all(this.#machine.users.splice(0).map((user) => user.disconnect()))
  }

  /** The command line, as the operator uses it next to the running service. */
  tocsin(...args: readonly string[]): Promise<any> {
    return commandsOn(this.dataDir, this.#machine.env)(...args)
  }

  /** As `tocsin`, in a process of its own, for what the environment loads into the program. */
  program(...args: readonly string[]): Promise<any> {
    return tocsin(this.dataDir, args, this.#machine.env)
  }

  /** A phone with this identity, at the current addresses. Call `introduce()` before anything over MQTT. */
  phone(externalUserId: string, { appId, secret }: Pick<ProcessSite, 'appId' | 'secret'> = this): PhoneUser {
    const { http, mqtt } = this
    return this.owns(new PhoneUser({ http, mqtt, appId, secret, externalUserId }))
  }

  /** Disconnects a phone that was created elsewhere when the site ends. */
  owns(user: PhoneUser): PhoneUser {
    this.#machine.users.push(user)
    this.#machine.secrets.add(user.hash)
    return user
  }

  /** A user with contacts, who can press SOS. */
  async user(externalUserId: string, contacts: readonly Contact[] = []): Promise<PhoneUser> {
    const user = await this.phone(externalUserId).introduce()
    for (const contact of contacts) {
      const { status } = await user.rest('POST', '/v1/sdk/contacts', contact)
      assert.equal(status, 201)
      for (const secret of [contact.phone, contact.email]) if (secret !== undefined) this.#machine.secrets.add(secret)
    }
    return user
  }

  /** Reads the stored state, as the command line does, with or without a running service. */
  look<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#machine.looks.look(work)
  }

  /** For many looks, because opening it takes longer than they do. The caller closes it. */
  openBeside(): Promise<Store> {
    return openBeside(this.#machine)
  }

  /**
   * Checks that the service lives and does its main job: a user with a fresh connection presses SOS, gets the event and
   * cancels. For use after anything that might have broken the service.
   */
  async stillAlarms(): Promise<void> {
    assert.ok(this.process.isRunning, this.process.output)
    const witness = await this.phone('witness').introduce()
    await witness.listen()
    await witness.presses()
    const { incidentId } = await witness.receives('processed')
    const cancelled = await witness.rest('POST', '/v1/sdk/sos/cancel', { incidentId })
    assert.deepEqual([cancelled.status, cancelled.body.incident], [200, null])
    await witness.disconnect()
  }
}

export type Contact = { readonly name: string; readonly phone: string; readonly email?: string }
