import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

const SHIM = fileURLToPath(new URL('../fixtures/other-clock.c', import.meta.url))
const DAY = 24 * 3600
const HOUR = 3600

/**
 * Real processes on a machine whose clock the test sets and which it suspends: seconds added, and seconds slept
 * through.
 */
async function machine(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-other-clock-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [library, file] = [join(directory, 'other-clock.so'), join(directory, 'clock')]
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SHIM])
  await writeFile(file, new Float64Array(2))
  /** In place: a process that has the file mapped would die of SIGBUS if it read the clock while the file was empty. */
  const becomes = async (addedSeconds: number, suspendedSeconds: number): Promise<void> => {
    const clock = await open(file, 'r+')
    try {
      await clock.write(new Float64Array([addedSeconds, suspendedSeconds]), 0, undefined, 0)
    } finally {
      await clock.close()
    }
  }
  return { env: { LD_PRELOAD: library, OTHER_CLOCK: file }, becomes }
}

const contact = { name: 'Ana', phone: '+436600001' }
const texts = async (site: ProcessSite) => (await site.tocsin('outbox', 'list')).length
const now = (site: ProcessSite) => site.tocsin('clock').then(({ now: shown }) => shown as string)

test('a start 200 days ahead is not believed, keeps the grace window, and tocsin clock accept ends it', async (t) => {
  if (skipWithout(t, 'cc', hasProgram('cc'))) return
  const { env, becomes } = await machine(t)
  const site = await startProcessSite(t, { env, settings: { 'grace-seconds': 600, voice: 'off' } })
  const user = await site.user('hiker-1', [contact])
  assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp: await now(site) })).status, 201)
  assert.equal((await site.tocsin('clock')).believed, true)
  await site.kill()

  await becomes(200 * DAY, 0)
  await site.start()
  const shown = await site.tocsin('clock')
  assert.deepEqual([shown.believed, shown.synchronised, shown.needsOperator], [false, false, false])
  const readyz = await fetch(`${site.http}/readyz`)
  assert.equal(readyz.status, 200)
  assert.match(JSON.stringify(await readyz.json()), /the clock is not trusted/)
  assert.match(site.process.output, /the clock is not trusted/)
  const phone = await site.phone('hiker-1').introduce()
  assert.equal((await phone.openIncident()).status, 'active')
  assert.equal(await texts(site), 0, 'within the grace window')

  await site.tocsin('clock', 'accept')
  await until('it is believed', async () => (await site.tocsin('clock')).believed)
  await until('readyz says nothing', async () => {
    const { reasons } = (await (await fetch(`${site.http}/readyz`)).json()) as { reasons: readonly string[] }
    return reasons.length === 0
  })
})

test('a text that became due while the machine was suspended leaves when it resumes', async (t) => {
  if (skipWithout(t, 'cc', hasProgram('cc'))) return
  const { env, becomes } = await machine(t)
  const site = await startProcessSite(t, { env, settings: { 'grace-seconds': 1800, voice: 'off' } })
  const user = await site.user('hiker-1', [contact])
  assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp: await now(site) })).status, 201)
  assert.equal(await texts(site), 0)
  await becomes(0, HOUR)
  await until('the text is out', async () => (await texts(site)) === 1)
  assert.doesNotMatch(site.process.output, /"byMs":3600/, 'it was not taken for a clock that was set')
})

test('setting the clock under the running service sends nothing early', async (t) => {
  if (skipWithout(t, 'cc', hasProgram('cc'))) return
  const { env, becomes } = await machine(t)
  const site = await startProcessSite(t, { env, settings: { 'grace-seconds': 1800, voice: 'off' } })
  const user = await site.user('hiker-1', [contact])
  assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp: await now(site) })).status, 201)
  await becomes(200 * DAY, 0)
  await until('it is noticed', () => /the wall clock was changed/.test(site.process.output))
  await until('it is not believed', async () => !(await site.tocsin('clock')).believed)
  assert.equal(await texts(site), 0)
  assert.equal((await user.openIncident()).status, 'active')
})
