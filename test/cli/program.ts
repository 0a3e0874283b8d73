import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { answering, type Environment, jsonOf, others, runCommand } from '../harness/command-line.ts'
import { START_TIMEOUT_MS } from '../harness/tocsin-process.ts'
import { until } from '../harness/wait.ts'
import { bin, type Run, temporaryDirectory } from './command-line.ts'

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
