import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('an error that no test waits for fails the process, which prints where it was thrown', () => {
  const loaded = ['--import', './test/harness/without-promise-hooks.ts']
  const args = [...loaded, 'test/harness/shard.ts', '10000', 'test/fixtures/rejected-later.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  assert.match(stdout, /a promise that nobody waits for/)
  assert.match(stderr, /^unhandledRejection Error: nobody waited for this\n {4}at .*rejected-later\.ts:8:/)
  assert.equal(status, 1)
})

// Without its hooks on promises the runner takes a test that is declared after an `await` for one outside the suite.
test('no suite waits while it declares its tests', () => {
  const waiting = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    /\b(suite|describe)(\.\w+)?\([^\n]*\basync\b/.test(readFileSync(`${ROOT}${file}`, 'utf8')),
  )
  assert.deepEqual(waiting, [])
})
