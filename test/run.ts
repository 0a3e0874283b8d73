import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LEAK } from './harness/leak.ts'

/**
 * `bin/node test/run.ts [fast | parallel | timed | serial | soak | explore | FILE…]` runs the tests, tier by tier
 * (test/README.md). Without an argument it runs every tier except soak and explore.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Most tests wait rather than compute, so there are more processes than cores. */
const AT_ONCE = 5
/** Loading the code costs a process half a second: few processes, but enough of them that all end together. */
const SHARDS = 14
/** They take longest, so they begin first, each in a process of its own: nothing is left to wait for at the end. */
const LONGEST = [
  'test/scenarios/crash-sending.test.ts',
  'test/scenarios/crash-repeatedly.test.ts',
  'test/core/incident/model.test.ts',
  'test/scenarios/planted-links.test.ts',
  'test/conformance/libraries.test.ts',
]

type Tier = {
  readonly name: string
  /** The files of one process each. */
  readonly shards: readonly (readonly string[])[]
  /** How many processes run at once. */
  readonly atOnce: number
  readonly options?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const filesOf = (...patterns: readonly string[]): readonly string[] => globSync(patterns, { cwd: ROOT }).sort()

/** Where exploring begins: elsewhere each time. */
const TEST_SEED = process.env.TEST_SEED ?? `${Date.now() % 2 ** 31}`

const every = filesOf('test/**/*.test.ts')
/** Tests with bounds on the wall clock that mostly wait: they may share the machine with each other. */
const timed = every.filter((file) => file.endsWith('.timed.test.ts'))
/** Tests with bounds on the wall clock that use what there is, and must not share the machine. */
const serial = every.filter((file) => file.endsWith('.serial.test.ts'))
/** Tests that open nothing and wait for nothing. */
const pure = filesOf('test/{core,config,app,lib,source,bench}/**/*.test.ts', 'test/imports.test.ts').filter(
  (file) => !timed.includes(file) && !serial.includes(file),
)
/** Tests that do more when they run in the soak tier. */
const long = every.filter((file) => readFileSync(`${ROOT}${file}`, 'utf8').includes('/effort.ts'))
/** Tests that begin from a seed. */
const random = every.filter((file) => /\/(fast-check|random)\.ts'/.test(readFileSync(`${ROOT}${file}`, 'utf8')))

/** Deals the files like cards, so that a directory of slow ones is spread over all shards. */
const dealt = (files: readonly string[], count: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.min(count, files.length) }, (_, shard) => files.filter((_, n) => n % count === shard))

const alone = (files: readonly string[]): readonly (readonly string[])[] => files.map((file) => [file])

const longest = (files: readonly string[]): readonly string[] => LONGEST.filter((file) => files.includes(file))
const others = (files: readonly string[]): readonly string[] => files.filter((file) => !LONGEST.includes(file))
/** What is neither pure nor needs the machine for itself. */
const rest = every.filter((file) => ![...pure, ...timed, ...serial].includes(file))

const tiers: Readonly<Record<string, Tier>> = {
  fast: { name: 'fast', shards: dealt(pure, 2), atOnce: 2 },
  parallel: {
    name: 'parallel',
    shards: [...alone(longest(rest)), ...dealt(others(rest), SHARDS)],
    atOnce: AT_ONCE,
  },
  timed: { name: 'timed', shards: alone(timed), atOnce: timed.length },
  serial: { name: 'serial', shards: alone(serial), atOnce: 1 },
  soak: {
    name: 'soak',
    shards: alone([...longest(long), ...others(long)]),
    atOnce: AT_ONCE,
    options: ['--test-timeout=1200000'],
    env: { TOCSIN_TEST_SOAK: '1' },
  },
  explore: {
    name: 'explore',
    shards: alone([...longest(random), ...others(random)]),
    atOnce: AT_ONCE,
    options: ['--test-timeout=1200000'],
    env: { TOCSIN_TEST_SOAK: '1', TEST_SEED },
  },
}

type Run = { readonly files: readonly string[]; readonly code: number }

const running = new Set<ChildProcess>()

/** Runs the files in one process. A single process at a time writes at once; of several, each writes when it ends. */
function runShard(files: readonly string[], { atOnce, options = [], env = {} }: Tier): Promise<Run> {
  const loaded = ['--import', './test/harness/no-leaks.ts']
  const told = ['--test', '--test-isolation=none', '--test-timeout=120000', '--test-reporter=spec', ...options]
  const child = spawn(process.execPath, [...loaded, ...told, ...files], {
    cwd: ROOT,
    stdio: atOnce === 1 ? 'inherit' : ['inherit', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/tocsin`, ...process.env, ...env },
  })
  running.add(child)
  const written: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => written.push(bytes))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      process.stdout.write(Buffer.concat(written))
      resolve({ files, code: code ?? 1 })
    })
  })
}

/** Runs the tier and returns an exit code. */
async function run(tier: Tier): Promise<number> {
  const { name, shards, atOnce, env } = tier
  const began = performance.now()
  const waiting = [...shards]
  const failed: Run[] = []
  const worker = async (): Promise<void> => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      const ended = await runShard(files, tier)
      if (ended.code !== 0) failed.push(ended)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  // Of many files in one process, only a process for each file shows which one leaves something open.
  for (const { files, code } of failed) {
    if (code === LEAK && files.length > 1) for (const file of files) await runShard([file], { ...tier, atOnce: 1 })
  }
  const count = shards.flat().length
  if (env?.TEST_SEED !== undefined) console.log(`TEST_SEED=${env.TEST_SEED}`)
  console.log(`${name}: ${count} files, ${Math.round((performance.now() - began) / 1000)} s`)
  for (const { files } of failed) console.log(`${name}: FAILED, somewhere in ${files.join(' ')}`)
  return failed.length > 0 ? 1 : 0
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}

const [what, ...more] = process.argv.slice(2)
const chosen =
  what === undefined
    ? ['fast', 'parallel', 'timed', 'serial'].map((name) => tiers[name]!)
    : [tiers[what] ?? { name: 'chosen', shards: alone([what, ...more]), atOnce: more.length === 0 ? 1 : AT_ONCE }]
process.exitCode = 0
for (const tier of chosen) process.exitCode = Math.max(process.exitCode, await run(tier))
