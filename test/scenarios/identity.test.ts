import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { IClientOptions, MqttClient } from 'mqtt'
import { newMoment } from '../harness/moment.ts'
import { nextPacket, packetsOf, type Received } from '../harness/mqtt-wire.ts'
import { UNHURRIED } from '../harness/process-site.ts'
import { sharedProcessSite } from '../harness/shared-process-site.ts'
import { readStream } from '../harness/stream-reader.ts'
import { until } from '../harness/wait.ts'

const NOT_AUTHORIZED = 0x87
const ADMINISTRATIVE_ACTION = 0x98
const SESSION_TAKEN_OVER = 0x8e
const SUBACK_FAILURE = 0x80
const ANA = { name: 'Ana', phone: '+436600000001' }

const V4: IClientOptions = { protocolVersion: 4 }
const V5: IClientOptions = { protocolVersion: 5 }

suite('identity', () => {
  const siteOf = sharedProcessSite({ settings: UNHURRIED })

  test('a disabled user loses all connections, may not return, and may again once enabled', async (t) => {
    const site = await siteOf()
    const [user, bystander] = [await site.user('mia'), await site.user('ben')]
    const will = { topic: `sos/alerts/${user.userId}`, payload: Buffer.from('{}'), qos: 1 as const, retain: false }
    const clients = [
      await user.connect({ ...V4, clientId: 'one', will }),
      await user.connect({ ...V5, clientId: 'two', will }),
    ]
    const packets = packetsOf(clients[1]!)
    const other = await bystander.connect(V4)
    const [stream, others] = [await readStream(user), await readStream(bystander)]
    t.after(() => others.leaves())

    await site.tocsin('user', 'disable', site.appId, 'mia')
    await areClosed(t, clients)
    await endsInTime(t, stream)
    assert.equal(others.hasEnded(), false)
    assert.equal((await readStream(user)).status, 401)
    assert.deepEqual(packets.map(reasonOf), [['disconnect', ADMINISTRATIVE_ACTION]])
    assert.equal(other.connected, true)
    await assert.rejects(user.connect(V4), { code: 5 })
    await assert.rejects(user.connect(V5), { code: NOT_AUTHORIZED })
    const { status, body } = await user.rest('GET', '/v1/sdk/sos')
    assert.deepEqual([status, body.error.code], [401, 'E_SDK_SOS_UNAUTHORIZED'])
    // An end by the operator is not the user's emergency: no will fired.
    assert.deepEqual(await site.tocsin('incident', 'list'), [])

    await site.tocsin('user', 'enable', site.appId, 'mia')
    await user.connect(V5)
    await user.presses()
    assert.equal((await user.openIncident()).status, 'active')
  })

  test('an external broker is told to deny a disabled user whom it was told to allow before', async () => {
    const site = await siteOf()
    const user = await site.user('mia')
    const username = `sdk:${site.appId}:mia`
    const asked = async (what: string, more: object): Promise<string> =>
      (await user.rest('POST', `/v1/sdk/mqtt/auth/${what}`, { username, ...more })).body.result
    const connects = () => asked('connect', { password: user.hash, clientid: 'one' })
    const publishes = () => asked('acl', { topic: `sos/alerts/${user.userId}`, action: 'publish' })
    assert.deepEqual([await connects(), await publishes()], ['allow', 'allow'])

    await site.tocsin('user', 'disable', site.appId, 'mia')
    await until('a publish of the disabled user is denied', async () => (await publishes()) === 'deny')
    assert.equal(await connects(), 'deny')

    await site.tocsin('user', 'enable', site.appId, 'mia')
    assert.deepEqual([await connects(), await publishes()], ['allow', 'allow'])
  })

  test('a disabled application loses all its connections, and no other does', async (t) => {
    const site = await siteOf()
    const users = [await site.user('mia'), await site.user('ben')]
    const clients = [await users[0]!.connect(V4), await users[1]!.connect(V5)]
    const neighbour = await site.tocsin('app', 'create', '--name', 'Next valley')
    const pending = site.phone('mia', neighbour)
    const kept = await (await pending.introduce()).connect(V4)

    await site.tocsin('app', 'disable', site.appId)
    await areClosed(t, clients)
    assert.equal(kept.connected, true)
    await assert.rejects(users[0]!.connect(V4), { code: 5 })
    assert.equal((await users[1]!.rest('GET', '/v1/sdk/me')).status, 401)

    await site.tocsin('app', 'enable', site.appId)
    await users[0]!.connect(V4)
    await pending.presses()
    assert.equal((await pending.openIncident()).status, 'active')
  })

  test('two secrets are valid until one is retired; then only its own sessions end', async (t) => {
    const site = await siteOf()
    const before = await site.user('mia')
    const { secret } = await site.tocsin('app', 'rotate-secret', site.appId)
    const after = await site.phone('mia', { appId: site.appId, secret }).introduce()
    assert.equal(after.userId, before.userId)
    const old = await before.connect({ ...V5, clientId: 'old' })
    const fresh = await after.connect({ ...V5, clientId: 'fresh' })
    const [oldStream, freshStream] = [await readStream(before), await readStream(after)]
    t.after(() => freshStream.leaves())

    await site.tocsin('app', 'rotate-secret', site.appId, '--retire')
    await areClosed(t, [old])
    await endsInTime(t, oldStream)
    assert.equal(freshStream.hasEnded(), false)
    assert.equal(fresh.connected, true)
    await assert.rejects(before.connect(V5), { code: NOT_AUTHORIZED })
    assert.equal((await before.rest('GET', '/v1/sdk/sos')).status, 401)
    assert.equal((await after.rest('GET', '/v1/sdk/sos')).status, 200)
    await after.presses()
  })

  test('a client id belongs to its user: it takes over that user’s connection, and nobody else’s', async () => {
    const site = await siteOf()
    const [user, other] = [await site.user('mia'), await site.user('ben')]
    for (const clientId of ['tracker', `svc_${site.appId}_mia`, '__proto__', '']) {
      const first = await user.connect({ ...V5, clientId })
      const farewell = packetsOf(first)
      const foreign = await other.connect({ ...V4, clientId })
      const second = await user.listen({ ...V5, clientId })
      if (clientId === '') {
        // Without an id every connection is another client.
        assert.equal(first.connected, true)
      } else {
        await until('the first one is closed', () => !first.connected)
        assert.deepEqual(farewell.map(reasonOf), [['disconnect', SESSION_TAKEN_OVER]])
      }
      assert.equal(second.connected, true)
      assert.equal(foreign.connected, true)
      await user.presses()
      await user.receives('processed')
      await user.ends('cancel')
      await other.presses()
      await other.ends('cancel')
      user.events.length = 0
      await Promise.all([user.disconnect(), other.disconnect()])
    }
  })

  test('legacy topics are closed unless the application is a legacy one', async () => {
    const site = await siteOf()
    const user = await site.user('mia')
    const legacy = [
      ['sos/alerts', { timestamp: newMoment(), userId: user.userId }],
      ['sos/alerts', { timestamp: newMoment(), userId: 'mia' }],
      ['tel/mia/data', { timestamp: newMoment() }],
    ] as const
    for (const [topic, payload] of legacy) {
      const closed = await user.connect(V4)
      closed.publish(topic, JSON.stringify(payload), { qos: 1 }, () => {})
      await until('the connection is closed', () => !closed.connected)
      assert.equal(await answerTo(await user.connect(V5), topic, payload), NOT_AUTHORIZED)
      await user.disconnect()
    }
    assert.equal(await granted(await user.connect(V4), 'sos/events/mia'), SUBACK_FAILURE)
    assert.equal(await granted(await user.connect(V5), 'sos/events/mia'), NOT_AUTHORIZED)
    assert.equal(await user.openIncident(), null)
  })

  test('a legacy application has both sets of topics, each user only their own', async () => {
    const site = await siteOf()
    await site.tocsin('app', 'update', site.appId, '--legacy', 'on')
    const [user, other] = [await site.user('mia'), await site.user('ben')]
    const client = await user.connect(V5)
    const packets = packetsOf(client)
    const topics = [`sos/events/${user.userId}`, 'sos/events/mia']
    for (const topic of topics) assert.equal(await granted(client, topic), 1)
    assert.equal(await granted(client, 'sos/events/ben'), NOT_AUTHORIZED)

    for (const userId of [user.userId, 'mia']) {
      assert.equal(await answerTo(client, 'sos/alerts', { timestamp: newMoment(), userId }), 0)
      const { incidentId } = await user.openIncident()
      const heard = await until('the event on both topics', () => {
        const events = packets.filter(({ cmd }) => cmd === 'publish')
        const own = events.filter(({ payload }) => JSON.parse(payload).incidentId === incidentId)
        return own.length >= 2 && own
      })
      assert.deepEqual(heard.map(({ topic }) => topic).sort(), topics.sort())
      assert.equal(heard[0]!.payload.toString(), heard[1]!.payload.toString())
      assert.equal((await user.rest('POST', '/v1/sdk/sos/cancel', { incidentId })).status, 200)
    }
    const pendingConnections = [other.userId, 'ben', '', null, 7, undefined, { id: 'mia' }]
    for (const userId of pendingConnections) {
      assert.equal(await answerTo(client, 'sos/alerts', { timestamp: newMoment(), userId }), NOT_AUTHORIZED)
    }
    assert.deepEqual([await user.openIncident(), await other.openIncident()], [null, null])

    const timestamp = newMoment()
    assert.equal(await answerTo(client, 'tel/mia/data', { timestamp }), 0)
    assert.equal(await answerTo(client, 'tel/ben/data', { timestamp }), NOT_AUTHORIZED)
    const query = { after: null, limit: 10, from: null, to: null }
    const stored = await site.look((store) => store.telemetryHistory(user.userId, query))
    assert.deepEqual('items' in stored && stored.items.map(({ payload }) => payload.timestamp), [timestamp])

    // Names that would be other topics, or another user's UUID.
    for (const name of ['a/b', '+', '#', user.userId]) {
      const odd = await (await site.user(name)).connect(V5)
      assert.equal(await granted(odd, `sos/events/${name}`), NOT_AUTHORIZED)
      if (!/[+#]/.test(name)) assert.equal(await answerTo(odd, `tel/${name}/data`, { timestamp }), NOT_AUTHORIZED)
    }
  })

  test('an incident resolved on the command line reaches the user immediately', async (t) => {
    const site = await siteOf()
    const user = await site.user('mia', [ANA])
    await user.listen(V5)
    await user.presses()
    const { incidentId } = await user.receives('processed')
    const shown = await site.tocsin('incident', 'resolve', incidentId)
    const askedAt = performance.now()
    assert.equal(shown.status, 'resolved')
    const resolved = await user.receives('resolved')
    t.diagnostic(`heard ${Math.round(performance.now() - askedAt)} ms after the command ended`)
    assert.deepEqual([resolved.incidentId, resolved.status, 'actuators' in resolved], [incidentId, 'resolved', false])
    const update = await user.receives('sos.actuator_update')
    assert.deepEqual([update.status, update.actuators?.items[0]?.status], ['resolved', 'skipped'])
    assert.equal(await user.openIncident(), null)
    assert.deepEqual(user.typesSincePress(), ['processed', 'resolved', 'sos.actuator_update'])
  })

  test('a gateway relays for another user’s tracker', async () => {
    const site = await siteOf()
    const [owner, gateway] = [await site.user('mia', [ANA]), await site.user('hut', [{ ...ANA, name: 'Ben' }])]
    await site.tocsin('device', 'register', site.appId, '--hardware-id', 'tracker-1', '--pairing-code', '471100')
    const paired = await owner.rest('POST', '/v1/sdk/devices', { pairingCode: '471100', hardwareId: 'tracker-1' })
    assert.equal(paired.status, 201)
    await owner.listen(V4)
    await gateway.listen(V5)

    const deviceId = 'tracker-1'
    await gateway.presses({ timestamp: newMoment(), deviceId, latitude: 47.1, longitude: 12.5 })
    const { incidentId } = await owner.receives('processed')
    await gateway.moves({ timestamp: newMoment(), deviceId, latitude: 47.2, longitude: 12.6 })
    const [item] = await owner.history()
    assert.deepEqual([item.incidentId, item.relay], [incidentId, { userId: gateway.userId }])
    assert.deepEqual(
      item.positionTrail.map(({ latitude }: any) => latitude),
      [47.1, 47.2],
    )
    const answer = await gateway.rest('POST', '/v1/sdk/sos', { timestamp: newMoment(), deviceId })
    assert.deepEqual([answer.status, answer.body.incident.incidentId], [200, incidentId])
    assert.deepEqual(answer.body.incident.actuators.items[0].contacts, [])
    assert.equal((await owner.openIncident()).actuators.items[0].contacts[0].name, 'Ana')
    assert.equal(await gateway.openIncident(), null)
    assert.deepEqual(gateway.events, [])

    // As the network server spells it, not as the operator registered it.
    const eui = 'A8-40-41-17-D1-85-12-34'
    await site.tocsin('device', 'register', site.appId, '--hardware-id', eui, '--pairing-code', '471100')
    const spelled = { pairingCode: '471100', hardwareId: 'a84041.17d185.1234' }
    assert.equal((await owner.rest('POST', '/v1/sdk/devices', spelled)).body.hardwareId, eui)
    const relayed = { timestamp: newMoment(), deviceId: 'a8404117d1851234' }
    assert.equal((await gateway.rest('POST', '/v1/sdk/sos', relayed)).body.incident.incidentId, incidentId)
    await gateway.presses({ ...relayed, timestamp: newMoment() })

    await gateway.presses({ timestamp: newMoment(), deviceId: 'nobody’s' })
    await gateway.receives('processed')
    assert.equal((await gateway.openIncident()).relay, null)
    assert.equal((await owner.history()).length, 1)
  })
})

const reasonOf = ({ cmd, reasonCode }: Received) => [cmd, reasonCode]

/** Waits until all are closed. The time is reported, not checked. */
async function areClosed(t: TestContext, clients: readonly MqttClient[]): Promise<void> {
  const askedAt = performance.now()
  await until('the connections are closed', () => clients.every(({ connected }) => !connected))
  t.diagnostic(`closed ${Math.round(performance.now() - askedAt)} ms after the command ended`)
}

/** Two seconds; the rest is for a busy machine. */
async function endsInTime(t: TestContext, stream: Awaited<ReturnType<typeof readStream>>): Promise<void> {
  const askedAt = performance.now()
  await stream.ended
  const ms = performance.now() - askedAt
  t.diagnostic(`the stream ended ${Math.round(ms)} ms after the command ended`)
  assert.ok(ms < 10_000, `${ms} ms`)
}

/** The reason code of the PUBACK of an MQTT 5 client. */
async function answerTo(client: MqttClient, topic: string, payload: Record<string, unknown>): Promise<number> {
  const puback = nextPacket(client, 'puback')
  client.publish(topic, JSON.stringify(payload), { qos: 1 }, () => {})
  return (await puback).reasonCode ?? 0
}

async function granted(client: MqttClient, topic: string): Promise<number> {
  const suback = nextPacket(client, 'suback')
  client.subscribe(topic, { qos: 1 }, () => {})
  return (await suback).granted[0]
}
