import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTimeSync } from '../../../../src/adapters/platform/system/time-sync.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY = 24 * 3_600_000

async function directory(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tocsin-sync-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

test('the mark of systemd-timesyncd counts if it was made under the current clock', async (t) => {
  const mark = join(await directory(t), 'synchronized')
  const isSynchronised = createTimeSync({ mark, timedatectl: 'no-such-program' })
  assert.equal(await isSynchronised(NOW), false)
  await writeFile(mark, '')
  await utimes(mark, NOW / 1000, NOW / 1000)
  assert.equal(await isSynchronised(NOW + DAY / 2), true)
  assert.equal(await isSynchronised(NOW + 200 * DAY), false, 'it was made before the clock was set')
  assert.equal(await isSynchronised(NOW - 200 * DAY), false)
})

for (const [what, output, expected] of [
  ['a synchronised clock', 'NTPSynchronized=yes\nTimeUSec=Sun 2026-03-01 12:00:10 UTC\n', true],
  ['an unsynchronised clock', 'NTPSynchronized=no\nTimeUSec=Sun 2026-03-01 12:00:10 UTC\n', false],
  ['a clock other than ours', 'NTPSynchronized=yes\nTimeUSec=Sat 2025-08-01 12:00:10 UTC\n', false],
  ['nothing readable', 'NTPSynchronized=yes\n', false],
] as const) {
  test(`timedatectl reports ${what}: ${expected}`, async (t) => {
    const timedatectl = join(await directory(t), 'timedatectl')
    await writeFile(timedatectl, `#!/bin/sh\nprintf '%s' '${output}'\n`, { mode: 0o755 })
    assert.equal(await createTimeSync({ mark: '/no/such/mark', timedatectl })(NOW), expected)
  })
}
