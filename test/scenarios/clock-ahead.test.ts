import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { acceptClock } from '../../src/app/operator/clock.ts'
import { newApplication } from '../../src/core/account/new-application.ts'
import type { Settings } from '../../src/core/account/settings.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Service, startService } from '../../src/service.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { openStoreHere } from '../harness/site.ts'
import { lookInto, newSiteStore, storeConfig } from '../harness/site-store.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const APP_ID = '0190aaaa-0000-7000-8000-000000000001'
/** As on PostgreSQL: hours in which nothing may happen need not pass timer by timer. */
const STRIDE_MS = 60_000
const SECRET = 'the application secret of the test site'

/** A machine that is switched off and on again, with any clock. */
async function machine(
  t: TestContext,
  { settings = {}, telemetryDays = 90 }: { settings?: Partial<Settings>; telemetryDays?: number } = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-clock-'))
  const store = await newSiteStore(dataDir)
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const users: PhoneUser[] = []
  let clock = new VirtualClock()
  let service: Service
  let synchronised = false
  const start = async (byMs = 0): Promise<void> => {
    clock = new VirtualClock(clock.now() + byMs)
    service = await startService(testConfig(dataDir, { ...storeConfig(store), retention: { telemetryDays } }), {
      clock,
      log: { info: note, warn: note, error: note },
      isSynchronised: async () => synchronised,
      openStore: openStoreHere,
    })
  }
  const stop = async (): Promise<void> => {
    await Promise.all(users.splice(0).map((user) => user.disconnect()))
    await service.stop()
  }
  t.after(async () => {
    await stop()
    await store.remove()
    await rm(dataDir, { recursive: true, force: true })
  })
  await start()
  await service!.store.createApplication(
    newApplication({
      id: APP_ID,
      name: 'Hut',
      language: 'en',
      settings: { voice: false, ...settings },
      createdAt: clock.now(),
    }),
    SECRET,
  )
  const site = {
    lines,
    /** As a command does. */
    beside: <T>(work: (store: Store) => Promise<T>): Promise<T> => lookInto({ dataDir, url: store.url }, work),
    now: () => clock.now(),
    /** Off and on: the clock has moved by `byMs` since it was switched off. */
    async restarts(byMs: number): Promise<void> {
      await stop()
      await start(byMs)
    },
    /** The clock is set while the service runs. */
    sets: (byMs: number) => clock.set(byMs),
    synchronises: () => {
      synchronised = true
    },
    advance: async (text: string): Promise<void> => {
      await clock.advance(
        text,
        async () => {
          await service.settled()
          await new Promise((resolve) => setImmediate(resolve))
        },
        STRIDE_MS,
      )
      await service.settled()
    },
    async user(): Promise<PhoneUser> {
      const { http = '', mqtt = '' } = service.listeners
      const user = new PhoneUser({ http, mqtt, appId: APP_ID, secret: SECRET, externalUserId: 'hiker-1' })
      users.push(user)
      return user.introduce({ name: 'Mia' })
    },
    /** A user with a contact presses SOS now. */
    async presses(): Promise<PhoneUser> {
      const user = await site.user()
      await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+4366012345678' })
      await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date(clock.now()).toISOString() })
      return user
    },
    texts: async () => (await service.store.outbox({ incidentId: null })).map(({ text }) => text),
    record: () => service.store.clockRecord(),
    readyz: async () => {
      const response = await fetch(`${service.listeners.http}/readyz`)
      const { reasons } = (await response.json()) as { reasons: readonly string[] }
      return { status: response.status, reasons }
    },
    /** Does what `tocsin clock accept` does, from another process. */
    accepts: () => site.beside((store) => acceptClock(store, { actor: COMMAND, address: null, now: clock.now() })),
    believed: async () => !(await site.readyz()).reasons.some((reason) => reason.includes('the clock')),
  }
  return site
}

for (const [what, byMs] of [
  ['200 days ahead', 200 * DAY],
  ['two years behind', -730 * DAY],
] as const) {
  test(`a start with the clock ${what} resolves nothing, keeps the grace window, and says so`, async (t) => {
    const site = await machine(t)
    await site.presses()
    await site.advance('3 s')
    await site.restarts(byMs)
    const { status, reasons } = await site.readyz()
    assert.equal(status, 200, 'alarms are taken')
    assert.match(reasons.join(), /the clock is not trusted: .* tocsin clock accept/)
    assert.ok(site.lines.some((line) => line.includes('the clock is not trusted')))

    await site.advance('5 s')
    assert.deepEqual(await site.texts(), [], 'still within the grace window')
    await site.advance('3 s')
    const [text, ...others] = await site.texts()
    assert.match(text ?? '', /needs help/)
    assert.deepEqual(others, [])

    const user = await site.user()
    assert.equal((await user.openIncident()).status, 'active')
    await site.advance('23 h')
    assert.equal((await user.openIncident()).status, 'active', 'it has its full hours again')
  })
}

test('alarms work in full while the clock is not believed', async (t) => {
  const site = await machine(t)
  await site.user()
  await site.restarts(200 * DAY)
  assert.equal(await site.believed(), false)
  await site.presses()
  await site.advance('11 s')
  assert.match((await site.texts())[0] ?? '', /needs help/)
})

test('with a clock ahead nothing is deleted and no tracking link expires; both resume when the operator accepts it', async (t) => {
  const site = await machine(t, { telemetryDays: 90 })
  const user = await site.presses()
  await user.rest('POST', '/v1/sdk/telemetry', { timestamp: new Date(site.now()).toISOString() })
  await site.advance('11 s')
  const link = /https?:\/\/\S+(\/t\/[\w-]+)/.exec((await site.texts())[0] ?? '')?.[1]
  await user.ends('cancel')
  await site.restarts(200 * DAY)
  const again = await site.user()
  const rows = async () => (await again.rest('GET', '/v1/sdk/telemetry/history')).body.items.length
  const page = async () => (await fetch(`${again.account.http}${link}`)).status
  await site.advance('3 h')
  assert.deepEqual([await rows(), await page()], [1, 200])

  await site.accepts()
  await until('it is believed', () => site.believed())
  await until('it is noted', async () => (await site.record()).doubt === null)
  await site.advance('61 min')
  await until('the telemetry is gone', async () => (await rows()) === 0)
  assert.equal(await page(), 410)
})

test('it is believed again as soon as the system reports synchronised time', async (t) => {
  const site = await machine(t)
  await site.presses()
  await site.restarts(200 * DAY)
  await site.advance('1 min')
  assert.equal(await site.believed(), false)
  site.synchronises()
  await site.advance('6 s')
  assert.equal(await site.believed(), true)
})

test('a hut that was closed over the winter believes a synchronised clock immediately, and sends what is overdue', async (t) => {
  const site = await machine(t)
  await site.presses()
  site.synchronises()
  await site.restarts(150 * DAY)
  assert.equal(await site.believed(), true)
  await site.advance('100 ms')
  assert.equal((await site.texts()).length, 1)
})

test('a site that was quiet for longer than a day and restarts is believed, because the service saves the time itself', async (t) => {
  const site = await machine(t)
  // A clock that is further ahead of the last stored moment than 24 h is not believed.
  await site.advance('30 h')
  await site.restarts(60_000)
  assert.equal(await site.believed(), true)
})

test('after a start with the clock ahead the right clock is believed again, and no start sends everything together', async (t) => {
  const site = await machine(t)
  await site.user()
  await site.restarts(200 * DAY)
  await site.presses()
  await site.advance('2 h')
  await site.restarts(-200 * DAY)
  assert.equal(await site.believed(), true, 'it is where it can be')
  const user = await site.user()
  await user.ends('cancel')
  await site.advance('1 s')
  const before = (await site.texts()).length
  await site.presses()
  for (let restart = 0; restart < 3; restart += 1) {
    await site.restarts(1_000)
    await site.advance('1 s')
    assert.equal((await site.texts()).length, before, 'within the grace window')
  }
  assert.equal((await site.record()).newestMoment <= site.now(), true)
})

test('a wrong clock does not become believed by another start', async (t) => {
  const site = await machine(t)
  await site.presses()
  for (let restart = 0; restart < 2; restart += 1) {
    await site.restarts(restart === 0 ? 200 * DAY : 5_000)
    assert.equal(await site.believed(), false)
  }
})

test('a command that runs before the start does not make a wrong clock believed', async (t) => {
  const site = await machine(t)
  await site.presses()
  const { newestMoment } = await site.record()
  await site.beside((store) =>
    store.ensureUser({
      appId: APP_ID,
      externalUserId: 'new',
      id: 'd0000000-0000-7000-8000-000000000001',
      now: newestMoment + 200 * DAY,
    }),
  )
  assert.equal((await site.record()).newestMoment, newestMoment)
})

test('what the operator accepts just before the service stops, or while it is stopped, applies to the next start', async (t) => {
  const site = await machine(t)
  await site.presses()
  await site.restarts(200 * DAY)
  assert.equal(await site.believed(), false)
  await site.accepts()
  await site.restarts(1_000)
  assert.equal(await site.believed(), true)
})

test('after a clock jump under the running service nothing is deleted, and every deadline keeps its distance', async (t) => {
  const site = await machine(t)
  site.synchronises()
  const user = await site.presses()
  await user.rest('POST', '/v1/sdk/telemetry', { timestamp: new Date(site.now()).toISOString() })
  await site.advance('2 min')
  site.sets(200 * DAY)
  await site.advance('3 h')
  const items = async () => (await user.rest('GET', '/v1/sdk/telemetry/history')).body.items
  assert.equal((await items()).length, 1)
  assert.equal(await site.believed(), false, 'the system said that it was synchronised before as well')
  assert.match((await site.readyz()).reasons.join(), /deleted until you run: tocsin clock accept/)
  assert.equal((await user.openIncident()).status, 'active')
  await site.restarts(1_000)
  assert.equal(await site.believed(), false, 'nor by starting once more')
  site.sets(-200 * DAY)
  await site.advance('1 s')
  assert.equal(await site.believed(), true, 'back where it was')
})

test('small steps that add up count as a jump', async (t) => {
  const site = await machine(t)
  for (let step = 0; step < 3; step += 1) {
    site.sets(10 * HOUR)
    await site.advance('1 min')
  }
  assert.equal(await site.believed(), false)
})

test('a clock that is first set right after the start is believed once the system reports synchronised time', async (t) => {
  const site = await machine(t)
  await site.advance('2 min')
  site.sets(3 * DAY)
  await site.advance('1 min')
  assert.equal(await site.believed(), false)
  site.synchronises()
  // The look before may still be writing to the store, and the next one follows 5 s after it.
  await until('it is believed', async () => {
    await site.advance('6 s')
    return site.believed()
  })
})
