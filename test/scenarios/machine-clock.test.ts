import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import type { Ending } from '../harness/ending.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

const SHIM = fileURLToPath(new URL('../fixtures/other-clock.c', import.meta.url))
const DAY = 24 * 3600
const HOUR = 3600

/**
 * Real processes on a machine whose clock the test sets and which it suspends: seconds added, and seconds slept
 * through.
 */
async function machine(t: Ending) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-other-clock-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [library, file] = [join(directory, 'other-clock.so'), join(directory, 'clock')]
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SHIM])
  let shift = { addedSeconds: 0, suspendedSeconds: 0 }
  await writeFile(file, new Float64Array(2))
  /** In place: a process that has the file mapped would die of SIGBUS if it read the clock while the file was empty. */
  const becomes = async (more: Partial<typeof shift>): Promise<void> => {
    shift = { ...shift, ...more }
    const clock = await open(file, 'r+')
    try {
      await clock.write(new Float64Array([shift.addedSeconds, shift.suspendedSeconds]), 0, undefined, 0)
    } finally {
      await clock.close()
    }
  }
  const now = () => new Date(Date.now() + 1000 * (shift.addedSeconds + shift.suspendedSeconds)).toISOString()
  return { env: { LD_PRELOAD: library, OTHER_CLOCK: file }, becomes, now }
}

type Machine = Awaited<ReturnType<typeof machine>>

const contact = { name: 'Ana', phone: '+436600001' }

/** A user whose alarm has just been raised. */
async function raised(site: ProcessSite, now: string) {
  const user = await site.user('hiker-1', [contact])
  const { status, body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: now })
  assert.equal(status, 201)
  const { incidentId } = body.incident
  const texts = () => site.look(async (store) => (await store.outbox({ incidentId })).length)
  return { user, texts }
}

const isBelieved = (site: ProcessSite) => site.look(async (store) => (await store.clockRecord()).doubt === null)

test('a start 200 days ahead is not believed, keeps the grace window, and tocsin clock accept ends it', async (t) => {
  if (skipWithout(t, 'cc', hasProgram('cc'))) return
  const { env, becomes, now } = await machine(t)
  const site = await startProcessSite(t, { env, settings: { 'grace-seconds': 600, voice: 'off' } })
  const { texts } = await raised(site, now())
  assert.equal(await isBelieved(site), true)
  await site.kill()

  await becomes({ addedSeconds: 200 * DAY })
  await site.start()
  const shown = await site.program('clock')
  assert.deepEqual([shown.believed, shown.synchronised, shown.needsOperator], [false, false, false])
  const readyz = await fetch(`${site.http}/readyz`)
  assert.equal(readyz.status, 200)
  assert.match(JSON.stringify(await readyz.json()), /the clock is not trusted/)
  assert.match(site.process.output, /the clock is not trusted/)
  const phone = await site.phone('hiker-1').introduce()
  assert.equal((await phone.openIncident()).status, 'active')
  assert.equal(await texts(), 0, 'within the grace window')

  await site.program('clock', 'accept')
  await until('it is believed', () => isBelieved(site))
  await until('readyz says nothing', async () => {
    const { reasons } = (await (await fetch(`${site.http}/readyz`)).json()) as { reasons: readonly string[] }
    return reasons.length === 0
  })
})

suite('under the running service', () => {
  const ends: (() => unknown)[] = []
  let shared: { readonly site: ProcessSite; readonly clock: Machine } | null = null
  before(async () => {
    if (!hasProgram('cc')) return
    const ending = { after: (work: () => unknown) => void ends.unshift(work) }
    const clock = await machine(ending)
    shared = { site: await startProcessSite(ending, { env: clock.env }), clock }
  })
  after(async () => {
    for (const end of ends) await end()
  })
  const settings = { 'grace-seconds': 1800, voice: 'off' }

  test('a text that became due while the machine was suspended leaves when it resumes', async (t) => {
    if (skipWithout(t, 'cc', shared !== null)) return
    const { site: service, clock } = shared!
    const site = await service.application({ settings })
    const { texts } = await raised(site, clock.now())
    assert.equal(await texts(), 0)
    await clock.becomes({ suspendedSeconds: HOUR })
    await until('the text is out', async () => (await texts()) === 1)
    assert.doesNotMatch(site.process.output, /"byMs":3600/, 'it was not taken for a clock that was set')
  })

  test('setting the clock sends nothing early', async (t) => {
    if (skipWithout(t, 'cc', shared !== null)) return
    const { site: service, clock } = shared!
    const site = await service.application({ settings })
    const { user, texts } = await raised(site, clock.now())
    await clock.becomes({ addedSeconds: 200 * DAY })
    await until('it is noticed', () => /the wall clock was changed/.test(site.process.output))
    await until('it is not believed', async () => !(await isBelieved(site)))
    assert.equal(await texts(), 0)
    assert.equal((await user.openIncident()).status, 'active')
  })
})
