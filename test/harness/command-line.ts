import { runCommandLine } from '../../src/cli/program.ts'
import type { Config } from '../../src/config.ts'

export type Environment = Readonly<Record<string, string>>

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON value that `--json` printed. */
  readonly json: any
}

export const jsonOf = (args: readonly string[], stdout: string): any =>
  args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined

/** This process's environment without settings of Tocsin. */
export const others = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('TOCSIN_') ? [] : [[name, value]],
    ),
  )

/** Commands read their settings from the environment of the whole process, so they run one at a time. */
let running: Promise<unknown> = Promise.resolve()

type Serve = (config: Config, file: string | null) => Promise<void>
const serveNowhere: Serve = () => Promise.reject(new Error('nobody serves here'))

/**
 * Runs a command line inside this process, with these settings and no others. A separate process would spend half a
 * second of CPU time on loading the same code again. `serve`: what `start` does with its configuration.
 */
export function runCommand(settings: Environment, args: readonly string[], serve = serveNowhere): Promise<Ended> {
  const run = running.then(() => runNow(settings, args, serve))
  running = run.catch(() => {})
  return run
}

async function runNow(settings: Environment, args: readonly string[], serve: Serve): Promise<Ended> {
  const before = process.env
  process.env = { ...others(), ...settings }
  const said = { stdout: '', stderr: '' }
  const into = (stream: keyof typeof said) => ({
    write(text: string) {
      said[stream] += text
    },
  })
  try {
    const code = await runCommandLine(args, {
      serve,
      stdout: into('stdout'),
      stderr: into('stderr'),
    })
    return { code, ...said, json: jsonOf(args, said.stdout) }
  } finally {
    process.env = before
  }
}

/** Runs a command that must succeed and returns its `--json` answer; otherwise rejects with its `code` and `stderr`. */
export const answering =
  (run: (...args: readonly string[]) => Promise<Ended>) =>
  async (...args: readonly string[]): Promise<any> => {
    const { code, stderr, json } = await run(...args, '--json')
    if (code !== 0 || stderr !== '') {
      throw Object.assign(new Error(`tocsin ${args.join(' ')}: ${code} ${stderr}`), { code, stderr })
    }
    return json
  }
