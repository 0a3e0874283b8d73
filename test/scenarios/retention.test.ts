import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

test('a site deletes what has expired, and nothing of an open incident', async (t) => {
  const days = { telemetryDays: 1, incidentDays: 2, outboxDays: 1, deadLetterDays: 1 }
  const retention = { ...days, feedbackDays: 0, auditDays: 0 }
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { voice: false, autoResolveHours: 96 },
    config: { retention },
  })
  const { user, clock } = site
  /** Advances the clock by an hour at a time until the condition holds. */
  const comesTrue = (what: string, look: () => Promise<boolean>) =>
    until(what, async () => {
      await site.advance('61 min')
      return look()
    })
  const positions = async () => (await user.rest('GET', '/v1/sdk/telemetry/history?limit=100')).body.items.length
  const moves = () => user.moves({ timestamp: new Date(clock.now()).toISOString(), latitude: 47, longitude: 12 })

  await moves()
  await site.advance('1 s')
  await user.presses({ timestamp: new Date(clock.now()).toISOString(), latitude: 47, longitude: 12 })
  await site.advance('1 s')
  await moves()
  assert.equal(await positions(), 2)
  await site.advance('10 s')
  await site.phone('Ana').receivesSms(/needs help/)
  await user.publishes(`tel/${user.userId}/data`, 'rubbish')
  assert.equal((await site.service.store.deadLetters()).length, 1)

  await site.advance('49 h')
  await comesTrue('the dead letter is gone', async () => (await site.service.store.deadLetters()).length === 0)
  // The position from before the open incident goes, the one that fed it stays.
  await comesTrue('a position is gone', async () => (await positions()) === 1)
  assert.equal((await site.phone('Ana').messages()).length > 0, true)
  assert.equal((await user.openIncident()).status, 'active')

  await user.ends('cancel')
  await comesTrue('the telemetry is gone', async () => (await positions()) === 0)
  assert.equal((await user.history()).length, 1, 'it was closed less than two days ago')
  await site.advance('47 h')
  await comesTrue('the incident is gone', async () => (await user.history()).length === 0)
  await site.phone('Ana').hasNothing()
  assert.equal(site.logged(/deleted expired data/).length > 0, true)

  await user.presses({ timestamp: new Date(clock.now()).toISOString() })
  assert.equal((await user.openIncident()).status, 'active')
})
