import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IPublishPacket, ISubackPacket, Packet } from 'mqtt-packet'
import { DeliveryWindow } from '../../../../src/adapters/inbound/broker/delivery/delivery-window.ts'
import type { ReadState } from '../../../../src/adapters/inbound/broker/delivery/states.ts'
import type { Session } from '../../../../src/core/account/session.ts'
import {
  ANA,
  alertsOf,
  BEN,
  connectPacket,
  eventsOf,
  packet,
  publishPacket,
  quiet,
  silentLog,
  startBroker,
  stopClock,
  until,
} from './harness.ts'

const versions = [4, 5] as const
const LEGACY = { ...ANA, legacy: true }

/** A store that answers when the test says so. */
function slowStore() {
  const asked: { session: Session; answer: (state: string | null) => void; fail: () => void }[] = []
  const readState: ReadState = (session) =>
    new Promise((resolve, reject) => {
      asked.push({ session, answer: resolve, fail: () => reject(new Error('the disk is gone')) })
    })
  return { asked, readState }
}

const subscribePacket = (version: number, messageId: number, topics: readonly string[], more: object = {}) =>
  packet({ cmd: 'subscribe', messageId, subscriptions: topics.map((topic) => ({ topic, qos: 1, ...more })) }, version)

/** What an admitted client got after its CONNACK, in words. */
const story = (received: readonly Packet[]): readonly string[] =>
  received
    .slice(1)
    .map((one) =>
      one.cmd === 'publish'
        ? `${one.topic === eventsOf(ANA) ? '' : `${one.topic} `}${one.payload} ${one.qos}`
        : one.cmd === 'suback'
          ? `suback ${(one as ISubackPacket).granted.join()}`
          : one.cmd,
    )

/** A connected client. Time stands still, so that events wait for the state as long as the test lets them. */
async function startPhone(t: TestContext, version: number, readState: ReadState, parts: object = {}) {
  const clock = stopClock(t)
  const site = await startBroker(t, { readState, ...parts })
  const { socket, received, closed } = site.raw(version)
  const sends = (...bytes: Buffer[]) => void socket.write(Buffer.concat(bytes))
  sends(connectPacket(version))
  await until(() => received.length === 1, 'the CONNACK came')
  const tells = async (expected: readonly string[]) => {
    await until(() => received.length > expected.length, `${expected.length} packets came`)
    await quiet()
    assert.deepEqual(story(received), expected)
  }
  return { ...site, clock, sends, received, closed, tells, leaves: () => socket.destroy() }
}

for (const version of versions) {
  for (const qos of [0, 1, 2] as const) {
    test(`v${version} QoS ${qos}: a new subscriber gets the state once, at the QoS granted, and no other client gets it`, async (t) => {
      const asked: string[] = []
      const phone = await startPhone(t, version, async ({ userId }) => {
        asked.push(userId)
        return 'state'
      })
      const other = await phone.client({ clientId: 'other' })
      const heard: string[] = []
      other.on('message', (_topic, payload) => heard.push(payload.toString()))
      await other.subscribeAsync(eventsOf(ANA), { qos: 1 })
      await until(() => heard.length === 1, 'the other was told, too')
      phone.sends(subscribePacket(version, 1, [eventsOf(ANA)], { qos }))
      await phone.tells([`suback ${qos}`, `state ${Math.min(qos, 1)}`])
      const told = phone.received[2] as IPublishPacket
      assert.equal(told.retain, false)
      assert.deepEqual(heard, ['state'])
      assert.deepEqual(asked, [ANA.userId, ANA.userId])
    })
  }

  test(`v${version}: events wait for the state, alarms do not`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    for (const event of ['first', 'second']) phone.broker.publish([eventsOf(ANA)], event)
    phone.sends(publishPacket(version, 7, { topic: alertsOf(ANA) }))
    await phone.tells(['suback 1', 'puback'])
    asked[0]!.answer('state')
    await phone.tells(['suback 1', 'puback', 'state 1', 'first 1', 'second 1'])
    phone.broker.publish([eventsOf(ANA)], 'third')
    await phone.tells(['suback 1', 'puback', 'state 1', 'first 1', 'second 1', 'third 1'])
    const ids = phone.received.flatMap((one) => (one.cmd === 'publish' ? [one.messageId] : []))
    assert.equal(new Set(ids).size, 4)
  })

  test(`v${version}: after the state no event with the same or an older version follows`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    const event = (snapshotVersion: number, incidentId = 'i') =>
      JSON.stringify({ incidentId, status: 'active', updatedAt: '2026-01-01T10:00:05.000Z', snapshotVersion })
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    for (const waiting of [event(6), event(7), event(8)]) phone.broker.publish([eventsOf(ANA)], waiting)
    asked[0]!.answer(event(7))
    const first = ['suback 1', `${event(7)} 1`, `${event(8)} 1`]
    await phone.tells(first)
    phone.sends(subscribePacket(version, 2, [eventsOf(ANA)]))
    await until(() => asked.length === 2, 'the state was asked for again')
    asked[1]!.answer(event(9))
    await phone.tells([...first, 'suback 1', `${event(9)} 1`])
    // As they come from another node, which hears of them later.
    for (const late of [event(8), event(9), event(3, 'j'), event(10)]) phone.broker.publish([eventsOf(ANA)], late)
    await phone.tells([...first, 'suback 1', `${event(9)} 1`, `${event(3, 'j')} 1`, `${event(10)} 1`])
  })

  test(`v${version}: a press right after the SUBSCRIBE is told from its first event on, however late the state is read`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    const event = (type: string, snapshotVersion: number) =>
      JSON.stringify({
        type,
        incidentId: 'i',
        status: 'active',
        updatedAt: '2026-01-01T10:00:05.000Z',
        snapshotVersion,
      })
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    const events = [event('processed', 1), event('sos.actuator_update', 2)]
    for (const waiting of events) phone.broker.publish([eventsOf(ANA)], waiting)
    asked[0]!.answer(event('sos.actuator_update', 2))
    await phone.tells(['suback 1', ...events.map((one) => `${one} 1`)])
  })

  test(`v${version}: an event that is announced while the state arrives goes before it`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    const opened = JSON.stringify({ type: 'processed', incidentId: 'i', snapshotVersion: 1 })
    const state = { incidentId: 'i', status: 'active', updatedAt: '2026-01-01T10:00:05.000Z', snapshotVersion: 1 }
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    asked[0]!.answer(JSON.stringify({ type: 'sos.actuator_update', ...state }))
    setImmediate(() => phone.broker.publish([eventsOf(ANA)], opened))
    await phone.tells(['suback 1', `${opened} 1`])
  })

  test(`v${version}: if there is no state, or it cannot be read, events arrive as usual`, async (t) => {
    const { asked, readState } = slowStore()
    const lines: string[] = []
    const log = { ...silentLog, error: (_fields: object, message: string) => void lines.push(message) }
    const phone = await startPhone(t, version, readState, { log })
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    asked[0]!.answer(null)
    phone.broker.publish([eventsOf(ANA)], 'event')
    await phone.tells(['suback 1', 'event 1'])
    for (const n of [1, 2]) {
      phone.sends(subscribePacket(version, 1 + n, [eventsOf(ANA)]))
      await until(() => asked.length === 1 + n, 'it was asked for again')
      asked[n]!.fail()
    }
    phone.broker.publish([eventsOf(ANA)], 'another')
    await phone.tells(['suback 1', 'event 1', 'suback 1', 'suback 1', 'another 1'])
    assert.deepEqual(lines, ['cannot read the state for a client that subscribed'])
  })

  test(`v${version}: a hung store holds events up for 2 s, and its late answer is not sent`, async (t) => {
    const { asked, readState } = slowStore()
    const lines: string[] = []
    const log = { ...silentLog, error: (_fields: object, message: string) => void lines.push(message) }
    const phone = await startPhone(t, version, readState, { log })
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    phone.broker.publish([eventsOf(ANA)], 'version 6')
    await quiet()
    assert.deepEqual(story(phone.received), ['suback 1'])
    phone.clock.passes(2000)
    await phone.tells(['suback 1', 'version 6 1'])
    // Nor does another SUBSCRIBE hold anything up for good.
    phone.sends(subscribePacket(version, 2, [eventsOf(ANA)]))
    await phone.tells(['suback 1', 'version 6 1', 'suback 1'])
    phone.broker.publish([eventsOf(ANA)], 'version 7')
    await phone.tells(['suback 1', 'version 6 1', 'suback 1', 'version 7 1'])
    asked[0]!.answer('version 5')
    await until(() => asked.length === 2, 'the second was asked for')
    asked[1]!.answer('version 8')
    await phone.tells(['suback 1', 'version 6 1', 'suback 1', 'version 7 1', 'version 8 1'])
    assert.equal(lines.length, 1)
  })

  test(`v${version}: at most 256 KiB of events wait; then they are sent, and the state is not`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    for (let n = 0; n < 5; n++) phone.broker.publish([eventsOf(ANA)], `${n}`.repeat(60_000))
    await until(() => phone.received.length === 7, 'the events came')
    asked[0]!.answer('too old')
    phone.broker.publish([eventsOf(ANA)], '5')
    await until(() => phone.received.length === 8, 'the last event came')
    const payloads = phone.received.flatMap((one) => (one.cmd === 'publish' ? [`${one.payload}`[0]] : []))
    assert.deepEqual(payloads, ['0', '1', '2', '3', '4', '5'])
  })

  test(`v${version}: every granted SUBSCRIBE gets the state again, on the topic that it names`, async (t) => {
    let reads = 0
    const phone = await startPhone(t, version, async () => `state ${++reads}`, { identify: async () => LEGACY })
    const refused = version === 5 ? 0x87 : 0x80
    phone.sends(subscribePacket(version, 1, [eventsOf(BEN), '#']))
    await until(() => phone.received.length === 2, 'it was refused')
    phone.sends(subscribePacket(version, 2, [eventsOf(ANA)]))
    await until(() => phone.received.length === 4, 'the state came')
    phone.sends(subscribePacket(version, 3, ['sos/events/ana', eventsOf(BEN)]))
    await until(() => phone.received.length === 6, 'the state came')
    phone.sends(subscribePacket(version, 4, [eventsOf(ANA)]))
    await phone.tells([
      `suback ${refused},${refused}`,
      ...['suback 1', 'state 1 1'],
      ...[`suback 1,${refused}`, 'sos/events/ana state 2 1'],
      ...['suback 1', 'state 3 1'],
    ])
    // In one segment: one read, and an answer to each.
    phone.sends(...[5, 6].map((id) => subscribePacket(version, id, [eventsOf(ANA)])))
    await until(() => phone.received.length === 12, 'both were answered')
    await quiet()
    assert.equal(phone.received.filter(({ cmd }) => cmd === 'publish').length, 5)
  })

  test(`v${version}: a client that gives every packet the same id gets its state and its events`, async (t) => {
    const phone = await startPhone(t, version, async () => 'state')
    const unsubscribe = packet({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: [eventsOf(ANA)] }, version)
    const subscribe = subscribePacket(version, 1, [eventsOf(ANA)])
    phone.sends(subscribe, unsubscribe, ...Array<Buffer>(20).fill(subscribe))
    const acknowledged = () => phone.received.filter(({ cmd }) => cmd === 'suback').length
    await until(() => acknowledged() === 21, 'all were answered')
    phone.broker.publish([eventsOf(ANA)], 'event')
    await until(() => story(phone.received).at(-1) === 'event 1', 'the event came, behind the state')
    assert.ok(story(phone.received).includes('state 1'))
  })

  test(`v${version}: a client that unsubscribes before the state was read gets no state`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    phone.sends(packet({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [eventsOf(ANA)] }, version))
    await phone.tells(['suback 1', 'unsuback'])
    asked[0]!.answer('state')
    await phone.tells(['suback 1', 'unsuback'])
  })

  test(`v${version}: a client that disconnects in the meantime causes no error`, async (t) => {
    const { asked, readState } = slowStore()
    const phone = await startPhone(t, version, readState)
    phone.sends(subscribePacket(version, 1, [eventsOf(ANA)]))
    await until(() => asked.length === 1, 'the state was asked for')
    phone.leaves()
    await until(() => phone.broker.connections() === 0, 'the connection ended')
    asked[0]!.answer('state')
    const next = await phone.client()
    const heard: string[] = []
    next.on('message', (_topic, payload) => heard.push(payload.toString()))
    await next.subscribeAsync(eventsOf(ANA), { qos: 1 })
    await until(() => asked.length === 2, 'the next was asked for')
    asked[1]!.answer('state for the next')
    await until(() => heard.length === 1, 'it was told')
    assert.deepEqual(heard, ['state for the next'])
  })
}

test('MQTT 5: the state carries the subscription identifier, and is not sent if it is too large for the client', async (t) => {
  const phone = await startPhone(t, 5, async () => 'x'.repeat(500))
  const subscription = { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: eventsOf(ANA), qos: 1 }] }
  phone.sends(packet({ ...subscription, properties: { subscriptionIdentifier: 42 } }, 5))
  await until(() => phone.received.length === 3, 'the state came')
  assert.equal((phone.received[2] as IPublishPacket).properties?.subscriptionIdentifier, 42)
  const small = phone.raw(5)
  small.socket.write(connectPacket(5, { clientId: 'small', properties: { maximumPacketSize: 200 } }))
  small.socket.write(packet(subscription, 5))
  await until(() => small.received.length === 2, 'the SUBACK came')
  phone.broker.publish([eventsOf(ANA)], 'small enough')
  await until(() => small.received.length === 3, 'the event came')
  assert.deepEqual(story(small.received), ['suback 1', 'small enough 1'])
})

test('without the setting a subscription sends no state', async (t) => {
  const { raw, broker } = await startBroker(t)
  const { socket, received } = raw(4)
  socket.write(connectPacket(4))
  socket.write(subscribePacket(4, 1, [eventsOf(ANA)]))
  await until(() => received.length === 2, 'the SUBACK came')
  broker.publish([eventsOf(ANA)], 'event')
  await until(() => received.length === 3, 'the event came')
  assert.deepEqual(story(received), ['suback 1', 'event 1'])
})

test('when many reconnect together, few states are read at a time, all clients get theirs, and alarms go in between', async (t) => {
  let atOnce = 0
  let max = 0
  let reads = 0
  const { raw, client, broker } = await startBroker(t, {
    readState: async () => {
      max = Math.max(max, ++atOnce)
      await new Promise((resolve) => setTimeout(resolve, 5))
      atOnce--
      return `state ${++reads}`
    },
  })
  const alarm = await client({ username: 'sdk:app:ben' })
  const phones = Array.from({ length: 300 }, (_, n) => {
    const one = raw(4)
    one.socket.write(connectPacket(4, { clientId: `phone ${n}` }))
    one.socket.write(subscribePacket(4, 1, [eventsOf(ANA)]))
    return one
  })
  await until(() => reads > 0, 'the first was told')
  const readBefore = reads
  await alarm.publishAsync(alertsOf(BEN), '{}', { qos: 1 })
  const readsMeanwhile = reads - readBefore
  await until(() => phones.every(({ received }) => received.length === 3), 'all were told')
  assert.equal(broker.connections(), 301)
  assert.ok(max > 1 && max <= 4, `${max} at a time`)
  assert.ok(readsMeanwhile < 150, `${readsMeanwhile} of them before the alarm was acknowledged`)
})

test('at most four reads hang, and clients waiting behind them get their events', async (t) => {
  const clock = stopClock(t)
  const { asked, readState } = slowStore()
  const { raw, broker } = await startBroker(t, { readState })
  const phones = Array.from({ length: 10 }, (_, n) => {
    const one = raw(4)
    one.socket.write(connectPacket(4, { clientId: `phone ${n}` }))
    one.socket.write(subscribePacket(4, 1, [eventsOf(ANA)]))
    return one
  })
  await until(() => phones.every(({ received }) => received.length === 2), 'all have subscribed')
  broker.publish([eventsOf(ANA)], 'event')
  await quiet()
  assert.ok(phones.every(({ received }) => received.length === 2))
  clock.passes(2000)
  await until(() => phones.every(({ received }) => received.length === 3), 'all got the event')
  assert.equal(asked.length, 4)
  // The store is back: clients that had to wait get the state later, as it is then.
  for (const one of asked.splice(0)) one.answer('too old')
  for (let told = 0; told < 6; ) {
    await until(() => asked.length > 0, 'the next was asked for')
    for (const one of asked.splice(0)) {
      one.answer('now')
      told++
    }
  }
  await until(() => phones.filter(({ received }) => received.length === 4).length === 6, 'they were told')
  assert.deepEqual(
    new Set(phones.map(({ received }) => story(received).join())),
    new Set(['suback 1,event 1', 'suback 1,event 1,now 1']),
  )
})

test('a message of the gate never uses an id that is in use, and one of Aedes waits for it', () => {
  const window = new DeliveryWindow(65_535, 1000)
  const frame = (name: string) => Buffer.from(name)
  assert.equal(window.offer(40_000, frame('a')), 'send')
  const own = window.unusedId()
  assert.equal(own, 40_000 + 32_768 - 65_535 + 1)
  assert.equal(window.offer(own, frame('own')), 'send')
  assert.equal(window.offer(own, frame('b')), 'wait')
  assert.equal(window.offer(own + 1, frame('c')), 'wait')
  assert.notEqual(window.unusedId(), own)
  assert.deepEqual(window.acknowledge(40_000).map(String), [])
  assert.deepEqual(window.acknowledge(own).map(String), ['b', 'c'])
  assert.deepEqual(window.acknowledge(9), [])
})
