import { type ChildProcess, type ForkOptions, fork, type SpawnOptions, spawn } from 'node:child_process'

/*
 * Every process that a benchmark starts, tracked by its id. Each is ended when it is no longer needed, when the
 * benchmark fails, on Ctrl-C, and at the latest when the benchmark itself exits.
 */

const children = new Set<ChildProcess>()

function keep(child: ChildProcess): ChildProcess {
  children.add(child)
  child.once('exit', () => children.delete(child))
  // A failed start shows in the exit, or in messages that never come.
  child.on('error', () => children.delete(child))
  return child
}

export const start = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess =>
  keep(spawn(command, args, options))

export const startModule = (file: URL, args: readonly string[], options: ForkOptions = {}): ChildProcess =>
  keep(fork(file, args, { ...options, execArgv: options.execArgv ?? [] }))

const TIMEOUT_MS = 15_000

/** Asks the process to end, kills it after 15 s, and settles when it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  await gone
  clearTimeout(force)
}

export const endAll = async (): Promise<void> => {
  await Promise.all([...children].map(end))
}

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Gives a module of its own process an order that it carries out until `stop`, which resolves with what it tells. */
export function carryOut<Result>(module: URL, order: object): { stop(): Promise<Result> } {
  const child = startModule(module, [])
  child.send(order)
  return {
    async stop() {
      const told = new Promise<Result>((resolve, reject) => {
        child.once('message', resolve)
        child.once('exit', () => reject(new Error(`the process of ${module.pathname} has ended`)))
      })
      child.send('stop')
      try {
        return await told
      } finally {
        await end(child)
      }
    },
  }
}
