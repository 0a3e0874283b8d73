import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { memoryLimit } from '../../src/adapters/platform/system/process-limits.ts'

const HERE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const run = promisify(execFile)

/** The unit with the programs at their paths here, because `verify` checks that they exist. */
async function unitOf(t: TestContext, change: (unit: string) => string = (unit) => unit): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-unit-'))
  t.after(() => rm(directory, { recursive: true }))
  const unit = await readFile(join(HERE, 'systemd/tocsin.service'), 'utf8')
  const file = join(directory, 'tocsin.service')
  await writeFile(file, change(unit).replaceAll('/opt/tocsin', HERE))
  return file
}

/** If the tool is missing the test is skipped with a reason, except when everything must be checked. */
async function analyze(t: TestContext, ...args: readonly string[]): Promise<{ stdout: string; stderr: string } | null> {
  try {
    return await run('systemd-analyze', args)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || process.env.CI) throw error
    t.skip('systemd-analyze is missing: apt-get install systemd')
    return null
  }
}

test('the service keeps what it compiled in a directory that only it may read', async () => {
  const unit = await readFile(join(HERE, 'systemd/tocsin.service'), 'utf8')
  assert.match(unit, /^CacheDirectory=tocsin\nCacheDirectoryMode=0700$/m)
  assert.match(unit, /^Environment=.*\bNODE_COMPILE_CACHE=\/var\/cache\/tocsin$/m)
})

test('the unit ends what uses more memory than the service divides up, and not the service with a helper', async () => {
  const unit = await readFile(join(HERE, 'systemd/tocsin.service'), 'utf8')
  assert.match(unit, new RegExp(`^MemoryMax=${memoryLimit({ limit: 0, machine: 100 })}%$`, 'm'))
  assert.match(unit, /^OOMPolicy=continue$/m)
  assert.doesNotMatch(unit, /^MemoryHigh=/m)
})

const exposure = (file: string) => ['security', '--offline=true', '--no-pager', '--threshold=20', file]

test('systemd finds nothing wrong with the unit', async (t) => {
  const said = await analyze(t, 'verify', await unitOf(t))
  if (said !== null) assert.deepEqual(said, { stdout: '', stderr: '' })
})

test('the sandbox is rated 2.0 or better', async (t) => {
  const rated = await analyze(t, ...exposure(await unitOf(t)))
  if (rated !== null) assert.match(rated.stdout, /Overall exposure level for tocsin.service: [01]\.\d|: 2\.0/)
})

test('control: it is rated worse without the parts that matter', async (t) => {
  const open = await unitOf(t, (unit) => unit.replace(/^(ProtectSystem|SystemCallFilter|NoNewPrivileges)=.*$/gm, ''))
  if ((await analyze(t, '--version')) === null) return
  await assert.rejects(analyze(t, ...exposure(open)))
})
