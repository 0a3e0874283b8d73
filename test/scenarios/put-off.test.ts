import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

// rules.md#put-off.
test('a stuck button that an operator has answered waits on the board, and alarms when they say so', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0, voice: false } })
  const { user, clock } = site
  const ask = await adminOf(site)
  const alert = () => ({ timestamp: new Date(clock.now()).toISOString() })
  const presses = () => user.rest('POST', '/v1/sdk/sos', alert())
  for (let times = 0; times < 20; times += 1) {
    await presses()
    await site.advance('1 s')
  }
  const { incidentId } = await user.openIncident()
  assert.equal((await ask('POST', `/incidents/${incidentId}/resolve`)).status, 200)
  const before = (await site.phone('Ana').messages()).length
  const { status, body } = await presses()
  const putOff = { until: new Date(clock.now() + 15 * 60_000).toISOString() }
  assert.deepEqual([status, body], [200, { incident: null, putOff }])
  await site.advance('1 s')
  await user.presses(alert())
  const board = async () => (await ask('GET', '/incidents')).json.items
  const items = await until('the second one counts', async () => {
    const found = await board()
    return found[0].presses === 22 ? found : undefined
  })
  assert.deepEqual(
    items.map((item: any) => [item.incidentId, item.status, item.putOff, item.urgency]),
    [[incidentId, 'resolved', putOff, 5]],
  )
  assert.deepEqual((await user.rest('GET', '/v1/sdk/sos')).body, { incident: null })
  const raised = await ask('POST', `/incidents/${incidentId}/alarm-now`)
  assert.deepEqual([raised.status, raised.json.incident.status], [200, 'active'])
  const again = await ask('POST', `/incidents/${incidentId}/alarm-now`)
  assert.deepEqual([again.status, again.json.error.incident.incident.putOff], [409, undefined])
  assert.deepEqual(
    (await board()).map((item: any) => item.incidentId),
    [raised.json.incident.incidentId],
  )
  await site.advance('5 s')
  const told = (await site.phone('Ana').messages()).slice(before).map(({ text }) => text)
  assert.ok(
    told.some((text) => /needs help/.test(text)),
    told.join('\n'),
  )
  const rows = (await ask('GET', '/audit')).json.items.filter(({ action }: any) => action === 'incident.alarm_now')
  assert.deepEqual(
    rows.map(({ subject }: any) => subject),
    [incidentId],
  )
})
