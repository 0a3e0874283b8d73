import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepRetention } from '../../../../src/app/upkeep/retention.ts'
import { at, siteIn } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { quiet, sqliteStore } from '../../../fixtures/store-place.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'
import { until } from '../../../harness/wait.ts'

const DAY_SECONDS = 24 * 3600
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('retention lets an alert in between two batches', async (t) => {
  const { store, user } = await siteIn(sqliteStore, t)
  await Promise.all(Array.from({ length: 1200 }, (_, n) => user.sends(n / 10)))
  const rows = async () => {
    const page = await store.telemetryHistory(user.id, { after: null, limit: 2000, from: null, to: null })
    return 'items' in page ? page.items.length : 0
  }
  const clock = new VirtualClock(momentAt(2 * DAY_SECONDS))
  const days = {
    telemetry: 1,
    incidents: 0,
    outbox: 0,
    deadLetters: 0,
    feedback: 0,
    audit: 0,
    timers: 0,
    awaitedEnds: 0,
    unnamedEnds: 0,
    settingChanges: 0,
    appInvitations: 0,
  }
  const stop = keepRetention({ store, clock, log: quiet, days, mayDelete: () => true })
  t.after(stop)
  await until('the first batch is gone', async () => (await rows()) < 1200)
  const opened = await user.presses(2 * DAY_SECONDS, at(47))
  assert.equal(opened.verdict, 'opened')
  const left = await rows()
  assert.ok(left > 0 && left < 1200, `deleting is under way: ${left} rows are left`)
  await until('all of it is gone', async () => {
    await clock.advance('50 ms', turn)
    return (await rows()) === 0
  })
})
