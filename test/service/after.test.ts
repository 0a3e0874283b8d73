import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runAfter } from '../../src/service/backup/after.ts'
import { until } from '../harness/wait.ts'

async function program(t: TestContext, text: string) {
  const at = await mkdtemp(join(tmpdir(), 'tocsin-after-'))
  t.after(() => rm(at, { recursive: true, force: true }))
  const path = join(at, 'program')
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o700)
  return { at, path }
}

test('it gets its own arguments and the path as they are, and none of our settings', async (t) => {
  const { at, path } = await program(t, 'printf "%s\\n" "$@" > "$(dirname "$0")/got"; env >> "$(dirname "$0")/got"')
  const ours = ['TOCSIN_METRICS_TOKEN', 'NOTIFY_SOCKET', 'WATCHDOG_USEC', 'CREDENTIALS_DIRECTORY']
  for (const name of ours) process.env[name] = 'a secret'
  t.after(() => {
    for (const name of ours) delete process.env[name]
  })
  assert.equal(await runAfter([path, '$(id)', 'a b; c'], '/to/the file.age'), null)
  const got = await readFile(join(at, 'got'), 'utf8')
  assert.deepEqual(got.split('\n').slice(0, 3), ['$(id)', 'a b; c', '/to/the file.age'])
  assert.match(got, /^PATH=/m)
  assert.doesNotMatch(got, /TOCSIN_|a secret/)
})

test('thirty megabytes of words take no memory, and the last line is told', async (t) => {
  const { path } = await program(t, 'head -c 30000000 /dev/zero | tr "\\0" a >&2; echo >&2; echo full >&2; exit 1')
  const before = process.memoryUsage.rss()
  assert.equal(await runAfter([path], '/x'), `${path} (backup.after) ended with exit code 1: full`)
  assert.ok(process.memoryUsage.rss() - before < 100e6)
})

test('a failure is told with the last line that it said', async (t) => {
  const { path } = await program(t, 'echo first >&2; printf "no \\033[31mroom\\n" >&2; exit 3')
  assert.equal(await runAfter([path], '/x'), `${path} (backup.after) ended with exit code 3: no  [31mroom`)
  assert.equal(await runAfter(['/nowhere/x'], '/x'), '/nowhere/x (backup.after) could not be started (ENOENT)')
  assert.equal(await runAfter(null, '/x'), null)
})

test('one that hangs is killed with all that it started', async (t) => {
  const { at, path } = await program(t, 'sleep 600 & echo $! > "$(dirname "$0")/pid"; wait')
  const failure = await runAfter([path], '/x', { timeoutMs: 2_000 })
  assert.equal(failure, `${path} (backup.after) did not end within 2 s and was killed`)
  const pid = Number(await readFile(join(at, 'pid'), 'utf8'))
  await until('the grandchild is gone', async () => {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'Z')
    return /Z/.test(state)
  })
})
