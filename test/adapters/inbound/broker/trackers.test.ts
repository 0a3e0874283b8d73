import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { TRACKER_LIMITS } from '../../../../src/adapters/inbound/broker/limits.ts'
import type { TrackerPublish } from '../../../../src/app/field/ingest-owntracks.ts'
import type { IngestResult } from '../../../../src/app/ingest/ingest-publish.ts'
import type { ClientSession, TrackerSession } from '../../../../src/core/account/session.ts'
import { ANA, alertsOf, eventsOf, quiet, startBroker, telemetryOf, until } from './harness.ts'

const tracker = (deviceId: string): TrackerSession => ({
  appId: ANA.appId,
  userId: ANA.userId,
  tracker: { deviceId, tokenHash: `hash of ${deviceId}` },
})
const OWN = 'owntracks/tracker/phone'
const asTracker = { username: 'tracker', password: 'token of d1' }
const location = JSON.stringify({ _type: 'location', lat: 1, lon: 2 })

/** A broker for Ana, and for her trackers, whose tokens are `token of ID`. */
async function brokerWithTrackers(t: TestContext) {
  const reports: TrackerPublish[] = []
  let answer: IngestResult | Error = 'stored'
  const { broker, client, taken } = await startBroker(t, {
    identify: async (username, password): Promise<ClientSession | null> => {
      const [, deviceId] = /^token of (\w+)$/.exec(password) ?? []
      if (username === 'tracker') return deviceId === undefined ? null : tracker(deviceId)
      return password === 'right' ? ANA : null
    },
    ingestTracker: async (publish) => {
      reports.push(publish)
      if (answer instanceof Error) throw answer
      return answer
    },
    readState: async () => '{"type":"sos.actuator_update"}',
  })
  return {
    broker,
    client,
    taken,
    reports,
    /** What becomes of reports from now on. */
    answers: (next: IngestResult | Error) => {
      answer = next
    },
  }
}

suite('a tracker that logs in with its token', () => {
  test('reports on its topic, retained or not, and nothing of it reaches another client', async (t) => {
    const { client, reports, taken } = await brokerWithTrackers(t)
    const phone = await client(asTracker)
    await phone.publishAsync(OWN, location, { qos: 1, retain: true })
    assert.deepEqual(
      reports.map(({ session, topic, payload }) => [session.tracker.deviceId, topic, payload.toString()]),
      [['d1', OWN, location]],
    )
    const other = await client({ ...asTracker, password: 'token of d2', clientId: 'other' })
    const received: string[] = []
    other.on('message', (topic) => received.push(topic))
    await other.subscribeAsync(`${OWN}/cmd`).catch(() => {})
    await phone.publishAsync(OWN, location, { qos: 2 })
    await phone.publishAsync(`${OWN}/cmd`, '{}', { qos: 1 })
    await quiet()
    assert.deepEqual([received, taken], [[], []])
  })

  test('with a wrong token, or under another name with its own, it does not come in', async (t) => {
    const { client } = await brokerWithTrackers(t)
    await assert.rejects(client({ ...asTracker, password: 'wrong' }))
    await assert.rejects(client({ ...asTracker, username: 'Tracker' }))
    await assert.rejects(client({ ...asTracker, username: 'sdk:app:ana' }))
    await assert.rejects(client({ username: 'tracker', password: 'right' }))
  })

  for (const topic of [alertsOf(ANA), telemetryOf(ANA), `sos/timers/${ANA.userId}`, eventsOf(ANA)]) {
    test(`publishes nothing on ${topic.replace(ANA.userId, 'USER')} of its user`, async (t) => {
      const { client, reports, answers, taken } = await brokerWithTrackers(t)
      answers('refused')
      const phone = await client(asTracker)
      phone.publish(topic, '{}', { qos: 1 })
      await until(() => !phone.connected, 'the connection ended')
      assert.deepEqual([reports.map((one) => one.topic), taken], [[topic], []])
    })
  }

  test('subscribes to nothing; its commands are granted and stay empty; no state of its user is sent', async (t) => {
    const { broker, client } = await brokerWithTrackers(t)
    const phone = await client({ ...asTracker, protocolVersion: 5 })
    const received: string[] = []
    phone.on('message', (topic) => received.push(topic))
    const asked = [`${OWN}/cmd`, 'owntracks/+/+', eventsOf(ANA), '#', `${OWN}/event`]
    const codes: number[] = []
    for (const topic of asked) {
      await phone.subscribeAsync(topic, { qos: 1 }).then(
        ([granted]) => codes.push(granted?.qos ?? -1),
        () => codes.push(0x87),
      )
    }
    assert.deepEqual(codes, [0, 0x87, 0x87, 0x87, 0x87])
    broker.publish([eventsOf(ANA), `${OWN}/cmd`], '{}')
    await phone.publishAsync(OWN, location, { qos: 1 })
    await phone.unsubscribeAsync(`${OWN}/cmd`)
    await quiet()
    assert.deepEqual(received, [])
  })

  test('neither takes over nor pushes out a connection of its user or of another tracker', async (t) => {
    const { broker, client } = await brokerWithTrackers(t)
    const ana = await client({ clientId: 'same' })
    const other = await client({ ...asTracker, password: 'token of d2', clientId: 'same' })
    const first = await client({ ...asTracker, clientId: 'same' })
    for (let n = 1; n <= TRACKER_LIMITS.connections; n += 1) await client({ ...asTracker, clientId: `more-${n}` })
    await until(() => !first.connected, 'the oldest of the same tracker made room')
    assert.deepEqual([ana.connected, other.connected], [true, true])
    assert.equal(broker.connections(), TRACKER_LIMITS.connections + 2)
  })

  test('its will says nothing, and a report that was not stored ends the connection without an answer', async (t) => {
    const { broker, client, reports, answers, taken } = await brokerWithTrackers(t)
    const ana = await client()
    const received: string[] = []
    await ana.subscribeAsync(eventsOf(ANA))
    ana.on('message', (_topic, payload) => received.push(payload.toString()))
    for (const topic of [eventsOf(ANA), alertsOf(ANA), OWN]) {
      const will = { topic, payload: Buffer.from('forged'), qos: 1 as const }
      const gone = await client({ ...asTracker, clientId: 'gone', will })
      gone.stream.destroy()
      await until(() => broker.connections() === 1, 'the connection ended')
    }
    broker.publish([eventsOf(ANA)], 'sent by the service')
    await until(() => received.includes('sent by the service'), 'the event')
    assert.deepEqual([taken, reports], [[], []])
    assert.ok(!received.includes('forged'))
    answers(new Error('the disk is full'))
    const phone = await client(asTracker)
    let isAcknowledged = false
    phone.publish(OWN, location, { qos: 1 }, (error) => {
      isAcknowledged = !error
    })
    await until(() => !phone.connected, 'the connection ended')
    assert.equal(isAcknowledged, false)
  })
})
