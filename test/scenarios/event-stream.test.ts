import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metric } from '../harness/metric.ts'
import { startSite } from '../harness/site.ts'
import { readStream } from '../harness/stream-reader.ts'
import { until } from '../harness/wait.ts'

test('an app without MQTT follows an alarm from the press to the end, and learns after a break how it stands', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0 } })
  const { user } = site
  const app = await readStream(user)
  assert.equal(await metric(site.service, 'tocsin_event_streams'), 1)
  assert.deepEqual(app.told(), [], 'nothing is open')

  const timestamp = new Date(site.clock.now()).toISOString()
  assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp })).status, 201)
  await until('the plan', () => app.told().includes('processed 1'))
  await site.advance('1 s')
  await site.phone('Ana').pressesTheButton()
  await until('the answer', () => app.told().includes('acknowledged'))
  const acknowledged = app.events.find(({ type }) => type === 'acknowledged')
  assert.deepEqual(acknowledged?.acknowledgedBy, (await user.openIncident()).acknowledgedBy)
  assert.equal((acknowledged?.acknowledgedBy as { name?: string } | undefined)?.name, 'Ana')
  app.leaves()

  const again = await readStream(user)
  await until('the state', () => again.events.length > 0)
  const { lastPosition: _, relay: __, ...open } = await user.openIncident()
  assert.deepEqual(again.events, [{ type: 'sos.actuator_update', ...open }])
  const versions = app.events.flatMap(({ snapshotVersion }) => snapshotVersion ?? [])
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
  )

  assert.equal((await user.ends('resolve')).status, 200)
  await until('the end', () => again.told().includes('resolved'))
  again.leaves()
})

test('the reminder of a timer comes on the stream, and none while a silent alarm is open', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user, clock } = site
  const app = await readStream(user)
  const sets = (hours: number) =>
    user.rest('POST', '/v1/sdk/timers', { dueAt: new Date(clock.now() + hours * 3_600_000).toISOString() })
  const { body } = await sets(1)
  await site.advance('46 min')
  await until('the reminder', () => app.told().includes('timer.reminder'))
  assert.equal(app.events.at(-1)?.timerId, body.id)
  await user.rest('DELETE', `/v1/sdk/timers/${body.id}`)

  await sets(1)
  await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date(clock.now()).toISOString(), silent: true })
  await site.advance('46 min')
  await until('the alarm', () => app.told().includes('processed 1'))
  assert.equal(app.told().filter((type) => type === 'timer.reminder').length, 1)
  assert.equal(app.events.find(({ type }) => type === 'processed')?.silent, true)
  app.leaves()
})
