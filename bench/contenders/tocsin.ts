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
import { cpuSecondsOf } from '../machine.ts'
import type { Contender } from './contender.ts'

/** The build: what sites run. */
const BIN = fileURLToPath(new URL('../../dist/bin/tocsin.js', import.meta.url))
/** As bin/tocsin starts it. */
const OPTION = '--max-semi-space-size=8'
const READY_MS = 60_000
/** Concurrent requests while users are created. */
const REQUESTS_AT_ONCE = 16
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

const LOOK_MS = 20

/** What a process took: by the clock, and of the processor (null if the system does not report it). */
export type Cost = { readonly wallMs: number; readonly cpuMs: number | null }

/** The series of /metrics at one moment: the sum of those with this name that have the given labels. */
type Metrics = (name: string, labels?: Readonly<Record<string, string>>) => number

export type Application = { readonly appId: string; readonly secret: string }

/**
 * The service as a separate process, with the parts of its REST interface and command line that the measurements need.
 */
export type Tocsin = Contender & {
  readonly dir: string
  /** The origin of its HTTP interface. */
  readonly http: string
  /** The same over TLS; null if that is off, the default. */
  readonly https: string | null
  /** Of MQTT over TLS; null if that is off, the default. */
  readonly securePort: number | null
  /** From its start until it was ready. */
  readonly startUp: Cost
  /** Runs a command with `--json` and returns its value. */
  cli(...args: readonly string[]): Promise<unknown>
  /** Runs a command and returns what it took. */
  timeCli(...args: readonly string[]): Promise<Cost>
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
  /** The user's app cancels the open incident. */
  cancel(identity: Identity): Promise<void>
  /** A contact acknowledges through the tracking link with this token. */
  acknowledge(token: string): Promise<void>
  metrics(): Promise<Metrics>
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
  const began = Date.now()
  const child = start(process.execPath, [OPTION, ...nodeOptions, BIN, 'start'], {
    env,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const { listeners, time } = await untilReady(log, () => child.exitCode !== null || child.signalCode !== null)
  const cpuSeconds = cpuSecondsOf(child.pid!)
  const startUp = { wallMs: Date.parse(time) - began, cpuMs: cpuSeconds === null ? null : cpuSeconds * 1000 }
  const http = listeners.http
  const agent = new Agent({ connections: REQUESTS_AT_ONCE })

  const cli = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [OPTION, BIN, ...args, '--json'], {
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    })
    return JSON.parse(stdout)
  }

  const timeCli = async (...args: readonly string[]): Promise<Cost> => {
    const before = performance.now()
    const { stdout } = await promisify(execFile)('sh', ['-c', TIMED, 'sh', process.execPath, OPTION, BIN, ...args], {
      env,
    })
    return { wallMs: performance.now() - before, cpuMs: cpuMsIn(stdout) }
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
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
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
    startUp,
    dir,
    http,
    https: listeners.https ?? null,
    cli,
    timeCli,
    createApplication: async (name) =>
      (await cli('app', 'create', '--name', name, '--verify-contacts', 'off')) as Application,
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
    async cancel({ username, password }) {
      const [, appId, externalUserId] = username.split(':')
      const headers = { 'x-app-id': appId!, 'x-user-id': externalUserId!, authorization: `Bearer ${password}` }
      await ask('POST', '/v1/sdk/sos/cancel', headers)
    },
    async acknowledge(token) {
      await ask('POST', `/t/${token}/ack`, {})
    },
    async metrics() {
      const exposition = await ask('GET', '/metrics', {})
      return (name, labels = {}) => sumOf(exposition, name, labels)
    },
    async stop() {
      await agent.close()
      await end(child)
    },
  }
}

/** Runs a command without its output, then says what the commands of the shell have used. */
const TIMED = '"$@" > /dev/null || exit; times'

/** The second line of `times` is that of the commands: `0m1.23s 0m0.11s`. */
function cpuMsIn(times: string): number {
  const used = [
    ...times
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ]
  return used.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0)
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
    // A link to this machine would be left out of messages.
    TOCSIN_PUBLIC_URL: 'https://sos.example.org',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_USER: '0',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS: '0',
  }
}

type Listeners = { readonly mqtt: string; readonly http: string; readonly https?: string; readonly mqtts?: string }

/** `time`: when it was ready, ISO 8601. */
type Ready = { readonly listeners: Listeners; readonly time: string }

async function untilReady(log: string, ended: () => boolean): Promise<Ready> {
  const deadline = performance.now() + READY_MS
  for (;;) {
    const text = readFileSync(log, 'utf8')
    const line = text.split('\n').find((candidate) => candidate.includes('"msg":"ready"'))
    if (line !== undefined) return JSON.parse(line) as Ready
    if (ended() || performance.now() > deadline) {
      throw new Error(`Tocsin did not become ready:\n${text.split('\n').slice(-20).join('\n')}`)
    }
    await wait(LOOK_MS)
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
