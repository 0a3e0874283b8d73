import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Agent } from 'undici'
import { end, start } from '../children.ts'
import type { Identity } from '../load/frames.ts'
import type { Contender } from './contender.ts'

const BIN = fileURLToPath(new URL('../../bin/tocsin.js', import.meta.url))
const READY_MS = 20_000
/** Concurrent requests while users are created. */
const REQUESTS_AT_ONCE = 16
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

type Application = { readonly appId: string; readonly secret: string }

/**
 * The service as a separate process, with the parts of its REST interface and command line that the measurements need.
 */
export type Tocsin = Contender & {
  readonly dir: string
  /** Of MQTT over TLS; null if that is off, the default. */
  readonly securePort: number | null
  /** Runs a command with `--json` and returns its value. */
  cli(...args: readonly string[]): Promise<unknown>
  createApplication(name: string): Promise<Application>
  /**
   * Creates `count` users, each with `contacts` contacts (`numberOf` counts users from 0 and contacts from 1), and
   * returns their identities.
   */
  createUsers(
    application: Application,
    prefix: string,
    count: number,
    contacts: number,
    numberOf?: (user: number, contact: number) => string,
  ): Promise<Identity[]>
  /** The sum of a counter's series that have the given labels. */
  counter(name: string, labels: Readonly<Record<string, string>>): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts the service on free loopback ports, with defaults except for the variables in `more`. `dir` holds its data,
 * log and configuration.
 */
export async function startTocsin(
  dir: string,
  nodeOptions: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Tocsin> {
  mkdirSync(dir, { recursive: true })
  const config = join(dir, 'tocsin.yaml')
  writeFileSync(config, '{}\n')
  const env = { ...environment(dir, config), ...more }
  const log = join(dir, 'service.log')
  const output = openSync(log, 'w')
  const child = start(process.execPath, [...nodeOptions, BIN, 'start'], { env, stdio: ['ignore', output, output] })
  closeSync(output)
  const listeners = await untilReady(log, () => child.exitCode !== null || child.signalCode !== null)
  const http = listeners.http
  const agent = new Agent({ connections: REQUESTS_AT_ONCE })

  const cli = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args, '--json'], {
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    })
    return JSON.parse(stdout)
  }

  const ask = async (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: unknown) => {
    const answer = await agent.request({
      origin: http,
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return text
  }

  const createUser = async ({ appId, secret }: Application, externalUserId: string, phones: readonly string[]) => {
    const userHash = createHmac('sha256', secret).update(externalUserId).digest('hex')
    const headers = { 'x-app-id': appId, 'x-user-id': externalUserId, authorization: `Bearer ${userHash}` }
    const me = JSON.parse(await ask('GET', '/v1/sdk/me', headers)) as { id: string }
    for (const [n, phone] of phones.entries()) {
      await ask('POST', '/v1/sdk/contacts', headers, { name: `Contact ${n + 1}`, phone })
    }
    return {
      clientId: `svc_${appId}_${externalUserId}`,
      username: `sdk:${appId}:${externalUserId}`,
      password: userHash,
      userId: me.id,
    }
  }

  return {
    name: 'Tocsin',
    note: 'each PUBACK after a committed, synced transaction',
    port: Number(new URL(listeners.mqtt).port),
    securePort: listeners.mqtts === undefined ? null : Number(new URL(listeners.mqtts).port),
    pid: child.pid!,
    dir,
    cli,
    createApplication: async (name) => (await cli('app', 'create', '--name', name)) as Application,
    async createUsers(
      application,
      prefix,
      count,
      contacts,
      numberOf = (_user, contact) => `+4366012345${10 + contact}`,
    ) {
      const identities: Identity[] = []
      for (let at = 0; at < count; at += REQUESTS_AT_ONCE) {
        const batch = Array.from({ length: Math.min(REQUESTS_AT_ONCE, count - at) }, (_, n) => at + n)
        const phonesOf = (user: number) => Array.from({ length: contacts }, (_, n) => numberOf(user, n + 1))
        const made = batch.map((user) => createUser(application, `${prefix}-${user}`, phonesOf(user)))
        identities.push(...(await Promise.all(made)))
      }
      return identities
    },
    async counter(name, labels) {
      return sumOf(await ask('GET', '/metrics', {}), name, labels)
    },
    async stop() {
      await agent.close()
      await end(child)
    },
  }
}

/**
 * Without the operator's own configuration: a benchmark that found a real SMS provider there would use it. Request
 * limits are off, because a thousand users are created from one address.
 */
function environment(dir: string, config: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOCSIN_'))
  return {
    ...Object.fromEntries(inherited),
    TOCSIN_CONFIG: config,
    TOCSIN_DATA_DIR: join(dir, 'data'),
    TOCSIN_NOTIFICATIONS_PROVIDERS: 'outbox',
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_MQTT_PORT: '0',
    TOCSIN_HTTPS_PORT: 'off',
    TOCSIN_MQTTS_PORT: 'off',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_USER: '0',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS: '0',
  }
}

type Listeners = { readonly mqtt: string; readonly http: string; readonly mqtts?: string }

async function untilReady(log: string, ended: () => boolean): Promise<Listeners> {
  const deadline = performance.now() + READY_MS
  for (;;) {
    const text = readFileSync(log, 'utf8')
    const line = text.split('\n').find((candidate) => candidate.includes('"msg":"ready"'))
    if (line !== undefined) return (JSON.parse(line) as { listeners: Listeners }).listeners
    if (ended() || performance.now() > deadline) {
      throw new Error(`Tocsin did not become ready:\n${text.split('\n').slice(-20).join('\n')}`)
    }
    await wait(50)
  }
}

function sumOf(exposition: string, name: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`)
  return exposition
    .split('\n')
    .filter(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && wanted.every((label) => line.includes(label)),
    )
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
