import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhoneUser } from '../harness/phone-user.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** Reconnects like a tracker that has lost its connection, and keeps only the events from then on. */
async function comesBack(user: PhoneUser, protocolVersion: 4 | 5, topic = `sos/events/${user.userId}`): Promise<void> {
  await user.disconnect()
  user.events.length = 0
  const client = await user.connect({ protocolVersion })
  client.on('message', (_topic, payload) => user.events.push(JSON.parse(payload.toString())))
  await client.subscribeAsync(topic, { qos: 1 })
}

/** Waits until nothing is in flight to this client: a publish of its own, sent later, has been answered. */
const nothingElse = (user: PhoneUser) => user.moves({ timestamp: '2026-01-01T00:00:00Z', latitude: 1, longitude: 1 })

for (const protocolVersion of [4, 5] as const) {
  test(`v${protocolVersion}: a tracker that was offline learns over MQTT alone that someone answered, and later that it is over`, async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0 }, protocolVersion })
    const { user } = site
    await user.presses({ timestamp: new Date(site.clock.now()).toISOString(), latitude: 47, longitude: 11 })
    await user.receives('processed')
    await user.disconnect()
    await site.advance('1 s')
    await site.phone('Ana').pressesTheButton()

    await comesBack(user, protocolVersion)
    const told = await user.receives('sos.actuator_update')
    const rest = await user.openIncident()
    assert.equal(told.status, 'acknowledged')
    assert.equal(told.snapshotVersion, rest.snapshotVersion)
    assert.deepEqual(told.actuators, rest.actuators)
    await nothingElse(user)
    assert.equal(user.events.length, 1)

    await user.ends('resolve')
    await user.receives('resolved')
    await site.advance('23 h')
    await comesBack(user, protocolVersion)
    const last = await user.receives('sos.actuator_update')
    assert.equal(last.status, 'resolved')
    assert.equal(last.incidentId, told.incidentId)
    await site.advance('1 h')
    await comesBack(user, protocolVersion)
    await nothingElse(user)
    assert.deepEqual(user.events, [])
  })
}

test("a user of a legacy application gets the state on the topic of the external id, a relay gets nothing of the owner's", async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], legacy: true })
  const { user } = site
  const relay = await site.newUser('gateway').introduce()
  await site.service.store.pair({
    ...{
      id: '0190aaaa-0000-7000-8000-00000000000d',
      appId: user.account.appId,
      userId: user.userId,
      hardwareId: 'T-1',
    },
    ...{ firmwareVersion: null, hardwareModel: null, now: site.clock.now(), limit: 10 },
  })
  await relay.connect()
  await relay.presses({ timestamp: new Date(site.clock.now()).toISOString(), deviceId: 'T-1' })
  const { incidentId } = await user.receives('processed')

  await comesBack(user, 4, 'sos/events/hiker-1')
  assert.equal((await user.receives('sos.actuator_update')).incidentId, incidentId)
  await comesBack(relay, 4)
  await nothingElse(relay)
  assert.deepEqual(relay.events, [])
})

test('mqtt.stateOnSubscribe: off', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], config: { mqtt: { port: 0, stateOnSubscribe: false } } })
  const { user } = site
  await user.presses({ timestamp: new Date(site.clock.now()).toISOString() })
  await user.receives('processed')
  await comesBack(user, 4)
  await user.ends('cancel')
  await until('the end is told', () => user.events.find(({ type }) => type === 'cancelled'))
  assert.deepEqual(
    user.events.map(({ status }) => status),
    user.events.map(() => 'cancelled'),
  )
})
