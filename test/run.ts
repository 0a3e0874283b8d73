import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * `bin/node test/run.ts [fast | soak | FILE…]` runs the tests tier by tier (test/README.md); without an argument all
 * tiers but soak. This file needs only Node; the tests use tsx as their loader.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Most tests wait rather than compute, so two per core; by default Node runs one file at a time on two cores. */
const AT_ONCE = 4

type Tier = {
  readonly name: string
  readonly files: readonly string[]
  /** Node options of this tier, besides those of all tiers. */
  readonly options: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const filesOf = (...patterns: readonly string[]): readonly string[] => globSync(patterns, { cwd: ROOT }).sort()

const every = filesOf('test/**/*.test.ts')
/** Tests with bounds on wall-clock time, which must not share the machine. */
const serial = every.filter((file) => file.endsWith('.serial.test.ts'))
/** Tests that open nothing and wait for nothing. */
const pure = filesOf('test/{core,config,app,lib,source}/**/*.test.ts', 'test/imports.test.ts').filter(
  (file) => !serial.includes(file),
)
/** Tests that do more in the soak tier. */
const long = every.filter((file) => readFileSync(`${ROOT}${file}`, 'utf8').includes('/effort.ts'))

const at = (count: number): readonly string[] => [`--test-concurrency=${count}`]

const tiers = {
  /** One process for all of them: each file would spend most of its time loading the same code again. */
  fast: { name: 'fast', files: pure, options: ['--test-isolation=none'] },
  parallel: {
    name: 'parallel',
    files: every.filter((file) => !pure.includes(file) && !serial.includes(file)),
    options: at(AT_ONCE),
  },
  serial: { name: 'serial', files: serial, options: at(1) },
  soak: {
    name: 'soak',
    files: long,
    options: [...at(AT_ONCE), '--test-timeout=1200000'],
    env: { TOCSIN_TEST_SOAK: '1' },
  },
} satisfies Record<string, Tier>

/** The exit code of Node's test runner. */
function run({ name, files, options, env }: Tier): number {
  if (files.length === 0) return 0
  const began = performance.now()
  const loaded = ['--import', 'tsx', '--import', './test/harness/no-leaks.ts']
  const told = ['--test', '--test-timeout=120000', '--test-reporter=spec', ...options]
  const { status } = spawnSync(process.execPath, [...loaded, ...told, ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/tocsin`, ...process.env, ...env },
  })
  console.log(`${name}: ${files.length} files, ${Math.round((performance.now() - began) / 1000)} s`)
  return status ?? 1
}

const [what, ...more] = process.argv.slice(2)
const chosen: readonly Tier[] =
  what === undefined
    ? [tiers.fast, tiers.parallel, tiers.serial]
    : what in tiers
      ? [tiers[what as keyof typeof tiers]]
      : [{ name: 'chosen', files: [what, ...more], options: at(AT_ONCE) }]
process.exitCode = Math.max(...chosen.map(run))
