import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startService } from '../../src/service.ts'
import { answering, type Ended, type Environment, runCommand } from './command-line.ts'
import { PROGRAM } from './program.ts'
import { PUBLIC_URL, storeEnvironment } from './site-store.ts'

/** How long a start may take on a busy machine. */
export const START_TIMEOUT_MS = 60_000

export type LogLine = Readonly<Record<string, any>>

/**
 * Loopback, any free port, no TLS listeners, everything logged, no request limit for tests that poll, and none of the
 * caller's own settings.
 */
function environmentOf(dataDir: string, more: Environment): Environment {
  return {
    PATH: process.env.PATH ?? '',
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_MQTT_PORT: '0',
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_MQTTS_PORT: 'off',
    TOCSIN_HTTPS_PORT: 'off',
    TOCSIN_PUBLIC_URL: PUBLIC_URL,
    TOCSIN_LOG_LEVEL: 'debug',
    TOCSIN_CANARY_EVERY_MINUTES: '0',
    TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS: 'on',
    TOCSIN_LIMITS_DISK_RESERVE_MB: '1',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_USER: '0',
    TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS: '0',
    ...(more.TOCSIN_STORE_URL !== undefined && storeEnvironment(more.TOCSIN_STORE_URL)),
    ...more,
  }
}

/** What the command answers with `--json`, run inside this process, whatever the environment loads into the program. */
export const command = (dataDir: string, args: readonly string[], more: Environment = {}): Promise<any> =>
  answering((...given) => runCommand(environmentOf(dataDir, more), given))(...args)

/** The answer of `tocsin … --json`. Rejects with its stderr if it fails. */
export async function tocsin(dataDir: string, args: readonly string[], more: Environment = {}): Promise<any> {
  const env = environmentOf(dataDir, more)
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--json'], { env })
  return JSON.parse(stdout)
}

/**
 * A start inside this process, as `command`: for one that must fail for a reason that does not depend on the process.
 * Stops the service if it starts after all.
 */
export const startHere = (dataDir: string, more: Environment = {}): Promise<Ended> =>
  runCommand(environmentOf(dataDir, more), ['start'], async (config) => {
    await (await startService(config, { log: { info() {}, warn() {}, error() {} } })).stop()
  })

/**
 * Starts the service where it must fail, and resolves with how it ended. Kills it if it keeps running. `uid`: run it as
 * another user, which only root can.
 */
export async function refusedStart(
  dataDir: string,
  { env = {}, uid }: { readonly env?: Environment; readonly uid?: number } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const user = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    env: environmentOf(dataDir, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    ...user,
  })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
      if (text.includes('"msg":"ready"')) child.kill('SIGKILL')
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** Ignores other text on stdout, and a line that a kill has cut short. */
function logLineOf(text: string): LogLine {
  try {
    return text.startsWith('{') ? JSON.parse(text) : {}
  } catch {
    return {}
  }
}

/** The real service as a separate process. */
export class TocsinProcess {
  readonly http: string
  readonly mqtt: string
  readonly lines: readonly LogLine[]
  readonly #child: ChildProcess
  /** Resolves when it has ended and everything that it wrote is in `lines` and `output`. */
  readonly #closed: Promise<unknown>
  readonly #output: readonly string[]

  private constructor(child: ChildProcess, ready: LogLine, lines: readonly LogLine[], output: readonly string[]) {
    this.#child = child
    this.#closed = new Promise((resolve) => child.once('close', resolve))
    this.lines = lines
    this.#output = output
    this.http = ready.listeners.http
    this.mqtt = ready.listeners.mqtt
  }

  /** Starts it, with the `launcher` if given, and waits until it reports ready. */
  static async start(
    dataDir: string,
    more: Environment = {},
    launcher: readonly string[] = [],
  ): Promise<TocsinProcess> {
    const [command, ...args] = [...launcher, process.execPath, PROGRAM, 'start']
    const child = spawn(command!, args, {
      env: environmentOf(dataDir, more),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: LogLine[] = []
    const output: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
    let timeout: NodeJS.Timeout | undefined
    const ready = new Promise<LogLine>((resolve, reject) => {
      const giveUp = () => reject(new Error(`the service does not get ready: ${output.join('')}`))
      timeout = setTimeout(giveUp, START_TIMEOUT_MS)
      child.once('close', () => reject(new Error(`the service ended instead of starting: ${output.join('')}`)))
      createInterface(child.stdout).on('line', (text) => {
        output.push(`${text}\n`)
        const line = logLineOf(text)
        lines.push(line)
        if (line.msg === 'ready') resolve(line)
      })
    })
    try {
      return new TocsinProcess(child, await ready, lines, output)
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    } finally {
      clearTimeout(timeout)
    }
  }

  get pid(): number {
    return this.#child.pid!
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Everything it has written to stdout and stderr. */
  get output(): string {
    return this.#output.join('')
  }

  /** Pulls the plug, and waits until it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Asks it to stop, and resolves with its exit code; null if it took a signal to end it. */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM')
    return this.#child.exitCode
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.isRunning) this.#child.kill(signal)
    await this.#closed
  }
}
