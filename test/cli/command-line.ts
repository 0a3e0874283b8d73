import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { placeDatabase } from '../fixtures/new-database.ts'
import { answering, type Ended, type Environment, jsonOf, others, runCommand } from '../harness/command-line.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { PROGRAM } from '../harness/program.ts'
import { START_TIMEOUT_MS } from '../harness/tocsin-process.ts'
import { until } from '../harness/wait.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = PROGRAM

/** Collects a child's output and its end. */
function watch(child: ChildProcess) {
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { said, ended }
}

/** Removed with the test, after the stores in it are closed and `end` has ended whatever else may write to it. */
export async function temporaryDirectory(t: TestContext, end = async (): Promise<void> => {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-cli-'))
  endsLastFirst(t, async () => {
    await end()
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}

type Run = (...args: readonly string[]) => Promise<Ended>

/** The command line inside this process, which is faster, with its own data directory and a new database. */
export async function commandLine(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryDirectory(t)
  await placeDatabase(dataDir)
  const tocsin: Run = (...args) => runCommand({ TOCSIN_DATA_DIR: dataDir, ...env }, args)
  return { dataDir, tocsin, answer: answering(tocsin) }
}

/** The real program as a process, killed with the test. Its data directory is also its working directory. */
export async function program(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const running: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = []
  const dataDir = await temporaryDirectory(t, async () => {
    for (const { child, ended } of running) {
      child.kill('SIGKILL')
      await ended
    }
  })
  const environment: Environment = { ...others(), TOCSIN_DATA_DIR: dataDir, ...env }
  const begin = (args: readonly string[]) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd: dataDir, env: environment, stdio: 'pipe' })
    const begun = { child, ...watch(child) }
    running.push(begun)
    return begun
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
    const looksReady = () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${said.stderr}`)
      return lines().find((line) => line.msg === 'ready')
    }
    const ready = await until('the service is ready', looksReady, START_TIMEOUT_MS)
    return { child, ready, lines, ended }
  }

  /** Inside this process, as is `answer`: what is about the program itself calls `tocsin`. */
  const command: Run = (...args) => runCommand(environment, args)
  return { dataDir, tocsin, command, answer: answering(command), start }
}

/** Listeners on free ports of this machine, without TLS. */
export const anyPorts = {
  TOCSIN_MQTT_PORT: '0',
  TOCSIN_HTTP_PORT: '0',
  TOCSIN_MQTTS_PORT: 'off',
  TOCSIN_HTTPS_PORT: 'off',
}
