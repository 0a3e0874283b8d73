import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from '../../src/cli/program.ts'
import { until } from '../harness/wait.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin', 'tocsin.js')

type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON value that `--json` printed. */
  readonly json: any
}

/** Collects a child's output and its end. The child is killed with the test. */
function watch(t: TestContext, child: ChildProcess) {
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { said, ended }
}

export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-cli-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

const others = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOCSIN_')))

type Run = (...args: readonly string[]) => Promise<Ended>

const jsonOf = (args: readonly string[], stdout: string): any =>
  args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined

/** Runs a command that must succeed and returns its `--json` answer. */
const answering =
  (tocsin: Run) =>
  async (...args: readonly string[]): Promise<any> => {
    const { code, stderr, json } = await tocsin(...args, '--json')
    if (code !== 0 || stderr !== '') throw new Error(`tocsin ${args.join(' ')}: ${code} ${stderr}`)
    return json
  }

/** The command line inside this process, which is faster, with its own data directory. */
export async function commandLine(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryDirectory(t)
  const tocsin: Run = async (...args) => {
    const before = process.env
    process.env = { ...others(), TOCSIN_DATA_DIR: dataDir, ...env }
    const said = { stdout: '', stderr: '' }
    const into = (stream: keyof typeof said) => ({
      write(text: string) {
        said[stream] += text
      },
    })
    try {
      const code = await runCommandLine(args, {
        serve: () => Promise.reject(new Error('nobody serves here')),
        stdout: into('stdout'),
        stderr: into('stderr'),
      })
      return { code, ...said, json: jsonOf(args, said.stdout) }
    } finally {
      process.env = before
    }
  }
  return { dataDir, tocsin, answer: answering(tocsin) }
}

/** The real program as a process. Its data directory is also its working directory. */
export async function program(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryDirectory(t)
  const environment = { ...others(), TOCSIN_DATA_DIR: dataDir, ...env }
  const begin = (args: readonly string[]) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd: dataDir, env: environment, stdio: 'pipe' })
    return { child, ...watch(t, child) }
  }

  const tocsin: Run = async (...args) => {
    const { said, ended } = begin(args)
    const code = await ended
    return { code, ...said, json: jsonOf(args, said.stdout) }
  }

  /** Starts the service and waits until it is ready. */
  const start = async () => {
    const { child, said, ended } = begin(['start'])
    const lines = (): any[] => {
      const complete = said.stdout.split('\n').slice(0, -1)
      return complete.map((line) => JSON.parse(line))
    }
    const ready = await until('the service is ready', () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${said.stderr}`)
      return lines().find((line) => line.msg === 'ready')
    })
    return { child, ready, lines, ended }
  }

  return { dataDir, tocsin, answer: answering(tocsin), start }
}

/** Listeners on free ports of this machine, without TLS. */
export const anyPorts = {
  TOCSIN_MQTT_PORT: '0',
  TOCSIN_HTTP_PORT: '0',
  TOCSIN_MQTTS_PORT: 'off',
  TOCSIN_HTTPS_PORT: 'off',
}
