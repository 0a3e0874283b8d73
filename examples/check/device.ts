import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * How a client is driven (README.md). `program`: one process that reads `press {…}` and `cancel` from its input.
 * `commands`: a shell command for each.
 */
export type Client =
  | { readonly kind: 'program'; readonly argv: readonly string[] }
  | {
      readonly kind: 'commands'
      readonly press: string
      readonly cancel: string | null
      readonly start: string | null
    }

type Line = { readonly at: number; readonly text: string }

const MAX_LINES = 1_000
const running = new Set<ChildProcess>()
const killGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Ends every client that still runs, also after a fault of this program. */
export const endAll = (): void => running.forEach(killGroup)

/** A phone with the client on it. */
export class Device {
  readonly lines: Line[] = []
  readonly #client: Client
  readonly #env: Readonly<Record<string, string>>
  readonly #elapsed: () => number
  #program: ChildProcess | null = null
  readonly #children = new Set<ChildProcess>()

  constructor(client: Client, env: Readonly<Record<string, string>>, elapsed: () => number) {
    this.#client = client
    this.#env = env
    this.#elapsed = elapsed
  }

  start(): void {
    const { kind } = this.#client
    if (kind === 'program') this.#program = this.#spawn(this.#client.argv, 'pipe')
    else if (this.#client.start !== null) this.#shell(this.#client.start)
  }

  /** `fields` as text: what no careful app would hand over. */
  press(fields: object | string): void {
    const text = typeof fields === 'string' ? fields : JSON.stringify(fields)
    if (this.#client.kind === 'program') this.#tell(`press ${text}`)
    else this.#shell(this.#client.press, { TOCSIN_PRESS: text })
  }

  /** False: the client has no such command. */
  cancel(): boolean {
    if (this.#client.kind === 'program') this.#tell('cancel')
    else if (this.#client.cancel === null) return false
    else this.#shell(this.#client.cancel)
    return true
  }

  /** Pulls the battery. */
  kill(): void {
    for (const child of this.#children) killGroup(child)
    this.#children.clear()
    this.#program = null
  }

  /** The first line that says so. Lines such as "NOT on the server yet" do not. */
  said(pattern: RegExp): Line | undefined {
    return this.lines.find(({ text }) => pattern.test(text) && !/\bnot\b/i.test(text))
  }

  #tell(command: string): void {
    this.#program?.stdin?.write(`${command}\n`)
  }

  #shell(command: string, more: Readonly<Record<string, string>> = {}): void {
    this.#spawn(['/bin/sh', '-c', command], 'ignore', more)
  }

  #spawn([program, ...args]: readonly string[], stdin: 'pipe' | 'ignore', more = {}): ChildProcess {
    const env = { ...this.#env, ...more }
    // In a group of its own, so that what it starts ends with it.
    const child = spawn(program!, args, { env, stdio: [stdin, 'pipe', 'pipe'], detached: true })
    running.add(child)
    this.#children.add(child)
    child.stdin?.on('error', () => {})
    child.on('error', (error) => this.#heard(`cannot be run: ${error.message}`))
    child.on('close', () => running.delete(child))
    for (const stream of [child.stdout!, child.stderr!])
      createInterface(stream).on('line', (text) => this.#heard(text.slice(0, 500)))
    return child
  }

  #heard(text: string): void {
    if (this.lines.length < MAX_LINES) this.lines.push({ at: this.#elapsed(), text })
  }
}
