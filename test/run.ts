import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isFresh } from '../build/sources.ts'
import { longestFiles, processorSeconds, watchProcessors } from './harness/file-times.ts'
import { LEAK } from './harness/leak.ts'
import { memoryDirectory } from './harness/memory-directory.ts'
import { hasPostgres, POSTGRES } from './harness/postgres.ts'
import { isOnBuild } from './harness/program.ts'
import { startsPrograms } from './harness/starts-programs.ts'

/**
 * `bin/node test/run.ts [fast | parallel | timed | serial | soak | ci | explore | FILE…]` runs the tests, tier by tier
 * (test/README.md). Without an argument it runs what starts no other programs; `ci` runs everything but explore. With
 * `TEST_ON_BUILD=1`, processes that tests start run the build in `dist`, and a stale one is refused.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Most tests wait rather than compute, so there are more processes than cores. */
const AT_ONCE = 6
/** Those with bounds mostly wait as well, but while one loads its code, the others have less of the processors. */
const TIMED_AT_ONCE = 4
/** Loading the code costs a process a second: few processes, but enough of them that all end together. */
const SHARDS = { inMemory: 11, onDisk: 2, onServer: 3 }
/** Where directories are that no test is about: there a commit waits for no disk, not even PostgreSQL's. */
const MEMORY = memoryDirectory()
/** How long a test may take, unless it says otherwise. */
const TIMEOUT_MS = 120_000

type Environment = Readonly<Record<string, string>>
/** The files of one process, and how long a test of them may take if it does not say so itself. */
type Shard = { readonly files: readonly string[]; readonly env?: Environment; readonly timeoutMs?: number }

type Tier = {
  readonly name: string
  readonly shards: readonly Shard[]
  /** How many processes run at once. */
  readonly atOnce: number
  /** Whether its tests start the service. */
  readonly starts?: boolean
  /** Whether `npm run check` runs beside the tests, as one of the processes. */
  readonly checks?: boolean
  /** Where its random tests begin, if elsewhere than usual. */
  readonly seed?: string
}

const filesOf = (...patterns: readonly string[]): readonly string[] => globSync(patterns, { cwd: ROOT }).sort()

/** Where exploring begins: elsewhere each time. */
const TEST_SEED = process.env.TEST_SEED ?? `${Date.now() % 2 ** 31}`

const textOf = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8')

const every = filesOf('test/**/*.test.ts')
/** Tests with bounds on the wall clock that mostly wait: they may share the machine with each other. */
const timed = every.filter((file) => file.endsWith('.timed.test.ts'))
/** Tests with bounds on the wall clock that use what there is, and must not share the machine. */
const serial = every.filter((file) => file.endsWith('.serial.test.ts'))
/** As pure, but each takes a second of processor time or more, of the ten that the fast tier may take. */
const heavy = filesOf(
  'test/app/{provider-combinations,silent-devices}.test.ts',
  'test/app/sending/{several-nodes,shared-lanes}.test.ts',
)
/** Tests that open nothing and wait for nothing. */
const pure = filesOf(
  'test/{core,config,app,lib,source,bench,console,webapp,sdk}/**/*.test.ts',
  'test/imports.test.ts',
).filter((file) => !timed.includes(file) && !serial.includes(file) && !heavy.includes(file))
/**
 * What takes long and is about what changes seldom: other people's clients, the installation, links that somebody has
 * planted, backups, the memory of a connection. It runs in the soak tier, and so in CI.
 */
const seldom = filesOf(
  'test/conformance/{examples,libraries,pebble}.test.ts',
  'test/systemd/install.test.ts',
  'test/scenarios/planted-links.test.ts',
  'test/cli/backup.test.ts',
  'test/adapters/inbound/memory-a-connection.test.ts',
)
/** Tests that do more when they run in the soak tier. */
const long = every.filter((file) => textOf(file).includes('/effort.ts'))
/** Tests that begin from a seed, or start a thread that does (`…-at-random.ts`). */
const random = every.filter((file) => /(fast-check|random)\.ts'/.test(textOf(file)))

/** Tests of what is on disk and when, and of what a kill leaves there. The directories of all others are in memory. */
const aboutDisks = filesOf(
  'test/adapters/stores/sqlite/**/*.test.ts',
  'test/scenarios/{crash,disk}*.test.ts',
  'test/prove/*.test.ts',
).filter((file) => file !== 'test/adapters/stores/sqlite/contract.test.ts')
const isAboutDisks = (file: string): boolean => aboutDisks.includes(file)
/** The tests kill nodes of a database, never its machine: where its server keeps its files makes no difference. */
const isOnDisk = ({ files, env }: Shard): boolean => files.some(isAboutDisks) && env?.TOCSIN_TEST_STORE !== 'postgres'
/** Tests that start a PostgreSQL server, one a process. */
const onServer = every.filter((file) => /\/(harness\/postgres|fixtures\/postgres-place)\.ts'/.test(textOf(file)))
const isOnServer = (file: string): boolean => onServer.includes(file)

/** What only CI runs of the tests that are not pure. */
const beyond = every.filter((file) => !pure.includes(file) && (isOnServer(file) || startsPrograms(file)))
const isUsual = (file: string): boolean => !beyond.includes(file)

/** Deals the files like cards, so that a directory of slow ones is spread over all shards. */
const dealt = (files: readonly string[], count: number): readonly Shard[] =>
  Array.from({ length: Math.min(count, files.length) }, (_, shard) => ({
    files: files.filter((_, n) => n % count === shard),
  }))

const alone = (files: readonly string[]): readonly Shard[] => files.map((file) => ({ files: [file] }))

/** For what takes minutes. */
const patiently = (shards: readonly Shard[]): readonly Shard[] =>
  shards.map((shard) => ({ ...shard, timeoutMs: 1_200_000 }))

/** How far those at length go (harness/effort.ts). */
const LENGTH = process.argv[2] === 'ci' ? 'ci' : '1'

/** The files one by one and at length, the longest first. */
const atLength = (files: readonly string[], env: Environment = {}): readonly Shard[] =>
  alone([...longest(files), ...others(files)]).map(({ files }) => ({
    files,
    env: { TOCSIN_TEST_SOAK: LENGTH, ...env },
  }))

/** What only computes needs no process of its own: loading the code takes each one a second. */
const computes = (file: string): boolean => pure.includes(file) || heavy.includes(file)
const computingAtLength = (files: readonly string[]): readonly Shard[] =>
  dealt(files, 2).map((shard) => ({ ...shard, env: { TOCSIN_TEST_SOAK: LENGTH } }))

/** The same scenarios once more, with every site on PostgreSQL, which each process starts for itself. */
const onPostgres = (...processes: readonly (readonly string[])[]): readonly Shard[] =>
  // Under CI a missing server fails them instead.
  hasPostgres() || process.env.CI === 'true'
    ? processes.map((names) => ({
        files: names.map((name) => `test/scenarios/${name}.test.ts`),
        env: { TOCSIN_TEST_STORE: 'postgres', TOCSIN_TEST_SOAK: '' },
      }))
    : []

/** The most time that a test of the file asks for, 0 if the usual is enough. */
function asksForMs(file: string): number {
  const asked = [...textOf(file).matchAll(/\btimeout: ([\d_]+)/g)].map(([, ms]) => Number(ms!.replaceAll('_', '')))
  return Math.max(0, ...asked.filter((ms) => ms > TIMEOUT_MS))
}
/** What asks for more time than usual, the longest first. */
const longest = (files: readonly string[]): readonly string[] =>
  files.filter((file) => asksForMs(file) > 0).sort((a, b) => asksForMs(b) - asksForMs(a))
const others = (files: readonly string[]): readonly string[] => files.filter((file) => asksForMs(file) === 0)
/** What is neither pure nor needs the machine for itself. */
const rest = every.filter((file) => ![...pure, ...timed, ...serial, ...seldom].includes(file))

/** What needs neither the machine for itself nor a long time, in the order in which it begins. */
const beside = (files: readonly string[]): readonly Shard[] => [
  // What waits most begins first: at the end there is only what computes.
  ...dealt(others(files).filter(isAboutDisks), SHARDS.onDisk),
  ...dealt(others(files).filter(isOnServer), SHARDS.onServer),
  ...alone(longest(files)),
  ...dealt(
    others(files).filter((file) => !isAboutDisks(file) && !isOnServer(file)),
    SHARDS.inMemory,
  ),
]

/** Everything that runs at length. */
const soak = patiently([
  ...atLength(longest(long)),
  // Those on PostgreSQL mostly wait, so they run beside the others. Each process starts a server.
  ...onPostgres(
    ['crash-sending'],
    ['crash', 'erase-user', 'responses', 'operator-api'],
    ['cascade', 'clock-ahead', 'retention', 'state-on-subscribe'],
    ['crash-repeatedly', 'hostile-rest', 'hostile-mqtt', 'ready'],
    ['clean-stop', 'discreet-log', 'identity', 'integrations', 'legacy-switch', 'metrics', 'stopped-clock'],
    ['twilio', 'twilio-callbacks', 'gateways'],
    ['destinations', 'mqtt', 'connections'],
  ),
  ...atLength(others(long).filter((file) => !computes(file))),
  ...computingAtLength(others(long).filter(computes)),
  ...alone(seldom),
])

const timedOnPostgres = onPostgres(['clean-stop.timed'], ['hostile-edge.timed'])

const isShort = (file: string): boolean => !long.includes(file)

const tiers: Readonly<Record<string, Tier>> = {
  fast: { name: 'fast', shards: dealt(pure, 2), atOnce: 2 },
  parallel: { name: 'parallel', shards: beside(rest), atOnce: AT_ONCE, starts: true },
  timed: { name: 'timed', shards: alone(timed), atOnce: TIMED_AT_ONCE },
  serial: { name: 'serial', shards: alone(serial), atOnce: 1 },
  timedTwice: { name: 'timed', shards: [...alone(timed), ...timedOnPostgres], atOnce: TIMED_AT_ONCE },
  serialTwice: { name: 'serial', shards: [...alone(serial), ...onPostgres(['flooder.serial'])], atOnce: 1 },
  soak: { name: 'soak', shards: soak, atOnce: AT_ONCE },
  // Together, because no tier then waits for the last process of another: those that only compute fill the end.
  usual: {
    name: 'usual',
    shards: [...beside(rest.filter(isUsual)), ...dealt(pure, 2)],
    atOnce: AT_ONCE,
    starts: true,
    checks: true,
  },
  timedUsual: { name: 'timed', shards: alone(timed.filter(isUsual)), atOnce: TIMED_AT_ONCE },
  serialUsual: { name: 'serial', shards: alone(serial.filter(isUsual)), atOnce: 1 },
  // The soak tier as well: what runs at length need not run in short too.
  together: {
    name: 'together',
    shards: [...soak, ...beside(rest.filter(isShort)), ...dealt(pure.filter(isShort), 2)],
    atOnce: AT_ONCE,
    starts: true,
    checks: true,
  },
  explore: { name: 'explore', shards: patiently(atLength(random, { TEST_SEED })), atOnce: AT_ONCE, seed: TEST_SEED },
}
/** The tiers of a run, by what the command line names. Without a name: what starts no programs, in short. */
const runs: Readonly<Record<string, readonly string[]>> = {
  '': ['usual', 'timedUsual', 'serialUsual'],
  ci: ['together', 'timedTwice', 'serialTwice'],
}

type Run = Shard & {
  readonly code: number
  /** What the reporter says at its end about the tests that failed. Empty if it wrote at once. */
  readonly failures: string
  /** What `file-times.ts` wrote. */
  readonly times: string
}
/** Where the reporter begins to list them. */
const FAILING = '✖ failing tests:'
/** How many of the files that took longest a run of whole tiers names. */
const LONGEST = 10
const ended: Run[] = []
const timesDirectory = mkdtempSync(`${tmpdir()}/tocsin-test-times-`)
process.once('exit', () => rmSync(timesDirectory, { recursive: true, force: true }))

const running = new Set<ChildProcess>()
let processes = 0

function startNode(args: readonly string[], more: Pick<SpawnOptions, 'stdio' | 'env'> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: more.stdio ?? 'inherit',
    env: { NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/tocsin`, ...process.env, ...more.env },
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/** Runs the files in one process. A single process at a time writes at once; of several, each writes when it ends. */
function runShard(shard: Shard, { atOnce }: Pick<Tier, 'atOnce'>): Promise<Run> {
  const loaded = ['--import', './test/harness/no-leaks.ts']
  const timeout = `--test-timeout=${shard.timeoutMs ?? TIMEOUT_MS}`
  const times = `${timesDirectory}/${++processes}`
  const reports = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=./test/harness/file-times.ts', `--test-reporter-destination=${times}`],
  ]
  const program = [...loaded, '--test', '--test-isolation=none', timeout, ...reports]
  const stdio: SpawnOptions['stdio'] = atOnce === 1 ? 'inherit' : ['inherit', 'pipe', 'pipe']
  const place = MEMORY === null || isOnDisk(shard) ? {} : { TMPDIR: MEMORY }
  const child = startNode([...program, ...shard.files], { stdio, env: { ...place, ...shard.env } })
  const written: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => written.push(bytes))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const text = Buffer.concat(written).toString()
      process.stdout.write(text)
      const at = text.indexOf(FAILING)
      const failures = at < 0 ? '' : text.slice(at)
      const run = { ...shard, code: code ?? 1, failures, times: existsSync(times) ? readFileSync(times, 'utf8') : '' }
      ended.push(run)
      resolve(run)
    })
  })
}

/** Where the shard has its sites, if it says so. */
const onStore = ({ TOCSIN_TEST_STORE: store }: Environment = {}): string => (store === undefined ? '' : ` on ${store}`)

/** Runs the tier and returns an exit code. */
async function run(tier: Tier): Promise<number> {
  const { name, shards, atOnce, starts = false, checks = false, seed } = tier
  const began = performance.now()
  const before = processorSeconds()
  const busy = watchProcessors()
  const checked = checks ? once(startNode(['test/check.ts']), 'close') : Promise.resolve([0])
  if (starts) await once(startNode(['test/harness/compile.ts']), 'close')
  const waiting = [...shards]
  const failed: Run[] = []
  const worker = async (): Promise<void> => {
    for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift()) {
      const run = await runShard(shard, tier)
      if (run.code !== 0) failed.push(run)
    }
  }
  const [[checkCode]] = await Promise.all([
    checked,
    checked.then(worker),
    ...Array.from({ length: atOnce - 1 }, worker),
  ])
  // Of many files in one process, only a process for each file shows which one leaves something open.
  for (const { code, failures, times, ...shard } of failed) {
    const apart = code === LEAK && shard.files.length > 1 ? shard.files : []
    for (const file of apart) await runShard({ ...shard, files: [file] }, { atOnce: 1 })
  }
  const count = shards.flatMap(({ files }) => files).length
  if (seed !== undefined) console.log(`TEST_SEED=${seed}`)
  const seconds = Math.round((performance.now() - began) / 1000)
  const counted = `${Math.round(processorSeconds() - before)} s of processor time`
  console.log(`${name}: ${count} files, ${seconds} s, ${counted}, processors ${Math.round(busy() * 100)} % busy`)
  if (starts && !hasPostgres()) console.log(`${name}: nothing ran on PostgreSQL, which needs ${POSTGRES}`)
  for (const { files, env, failures } of failed) {
    console.log(`${name}: FAILED${onStore(env)}, somewhere in ${files.join(' ')}\n${failures}`)
  }
  if (checkCode !== 0) console.log('npm run check: FAILED')
  return failed.length > 0 || checkCode !== 0 ? 1 : 0
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}

const [what = '', ...more] = process.argv.slice(2)
const named = (runs[what] ?? [what]).flatMap((name) => tiers[name] ?? [])
const chosen: readonly Tier[] =
  named.length > 0
    ? named
    : [{ name: 'chosen', shards: alone([what, ...more]), atOnce: more.length === 0 ? 1 : AT_ONCE }]
process.exitCode = 0
if (isOnBuild && !(await isFresh())) {
  console.error('error: dist is not a build of these sources; run "npm run build"')
  process.exit(2)
}
for (const tier of chosen) process.exitCode = Math.max(process.exitCode, await run(tier))
if (named.length > 0) {
  const reports = ended.map(({ times, env }) => ({ text: times, name: (file: string) => `${file}${onStore(env)}` }))
  for (const line of longestFiles(reports, LONGEST)) console.log(line)
}
