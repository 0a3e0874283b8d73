import assert from 'node:assert/strict'
import { connect as connectSocket } from 'node:net'
import { test } from 'node:test'
import type { IDisconnectPacket, ISubackPacket } from 'mqtt-packet'
import WebSocket from 'ws'
import fc from '../../../harness/fast-check.ts'
import {
  ANA,
  alertsOf,
  BEN,
  connectPacket,
  eventsOf,
  packet,
  publishPacket,
  quiet,
  startBroker,
  telemetryOf,
  until,
} from './harness.ts'

const versions = [4, 5] as const
const ways = versions.flatMap((protocolVersion) => (['tcp', 'ws'] as const).map((over) => ({ protocolVersion, over })))

for (const way of ways) {
  const named = `v${way.protocolVersion} over ${way.over}`

  test(`${named}: publishes of every QoS are stored before they are acknowledged, and events come back`, async (t) => {
    let commit = () => {}
    const { broker, client, taken } = await startBroker(t, {
      ingest: ({ payload }) =>
        new Promise((resolve) => {
          if (payload.toString() === '1') commit = () => resolve('stored')
          else resolve('stored')
        }),
    })
    const phone = await client(way)
    const granted = await phone.subscribeAsync(eventsOf(ANA), { qos: 1 })
    assert.equal(granted[0]!.qos, 1)
    let acknowledged = false
    const published = phone.publishAsync(alertsOf(ANA), '1', { qos: 1 }).then(() => {
      acknowledged = true
    })
    await phone.publishAsync(telemetryOf(ANA), '2', { qos: 2, retain: true })
    assert.equal(acknowledged, false)
    commit()
    await published
    await phone.publishAsync(telemetryOf(ANA), '0', { qos: 0 })
    await until(() => taken.length === 3, 'all were taken in')
    assert.deepEqual(
      taken.map(({ user, kind, payload }) => [user, kind, payload]),
      [
        ['ana', 'telemetry', '2'],
        ['ana', 'alert', '1'],
        ['ana', 'telemetry', '0'],
      ],
    )
    const events: string[] = []
    phone.on('message', (topic, payload, { retain, qos }) => events.push(`${topic} ${payload} ${retain} ${qos}`))
    broker.publish([eventsOf(BEN), eventsOf(ANA)], 'processed')
    await until(() => events.length > 0, 'the event came')
    assert.deepEqual(events, [`${eventsOf(ANA)} processed false 1`])
  })

  test(`${named}: a subscription to anything else is refused in SUBACK`, async (t) => {
    const { client } = await startBroker(t)
    const phone = await client(way)
    const subacks: unknown[] = []
    phone.on('packetreceive', (one) => {
      if (one.cmd === 'suback') subacks.push((one as ISubackPacket).granted)
    })
    await phone.subscribeAsync([eventsOf(BEN), eventsOf(ANA), '#'], { qos: 1 }).catch(() => {})
    const refused = way.protocolVersion === 5 ? 0x87 : 0x80
    assert.deepEqual(subacks, [[refused, 1, refused]])
    assert.equal(phone.connected, true)
  })

  test(`${named}: bad credentials are refused`, async (t) => {
    const { client } = await startBroker(t)
    const code = way.protocolVersion === 5 ? 0x87 : 5
    for (const credentials of [
      { password: 'wrong' },
      { username: 'sdk:app:carl' },
      { username: 'ana' },
      { username: '' },
    ]) {
      await assert.rejects(client({ ...way, ...credentials }), { code })
    }
    await assert.rejects(client({ ...way, username: undefined, password: undefined } as object), { code })
  })

  test(`${named}: a fault during verification does not count as wrong credentials`, async (t) => {
    const { client } = await startBroker(t, { identify: () => Promise.reject(new Error('store is away')) })
    await assert.rejects(client(way), { code: way.protocolVersion === 5 ? 0x88 : 3 })
  })

  test(`${named}: a publish that cannot be committed is not acknowledged and ends the connection`, async (t) => {
    const { client } = await startBroker(t, { ingest: () => Promise.reject(new Error('disk full')) })
    const phone = await client(way)
    let acknowledged = false
    phone.publish(alertsOf(ANA), '{}', { qos: 1 }, (error) => {
      acknowledged = !error
    })
    await until(() => !phone.connected, 'the connection ended')
    assert.equal(acknowledged, false)
  })
}

test('publishing on a foreign topic: 3.1.1 closes, MQTT 5 answers 0x87 and stays open', async (t) => {
  const { client, taken } = await startBroker(t)
  const five = await client({ protocolVersion: 5 })
  for (const topic of [alertsOf(BEN), telemetryOf(BEN), eventsOf(ANA), '$SYS/x', '__proto__']) {
    for (const qos of [1, 2] as const) await assert.rejects(five.publishAsync(topic, '{}', { qos }), { code: 0x87 })
    await five.publishAsync(topic, '{}', { qos: 0 })
  }
  await five.publishAsync(alertsOf(ANA), '{}', { qos: 1 })
  const four = await client({ protocolVersion: 4, clientId: 'other' })
  four.publish(alertsOf(BEN), '{}', { qos: 1 })
  await until(() => !four.connected, 'the connection ended')
  assert.deepEqual(
    taken.map(({ topic }) => topic),
    [alertsOf(ANA)],
  )
})

test('a publish that ingest refuses is refused like a foreign topic', async (t) => {
  const { client } = await startBroker(t, { ingest: async () => 'refused' })
  const five = await client({ protocolVersion: 5 })
  await assert.rejects(five.publishAsync(alertsOf(ANA), '{}', { qos: 1 }), { code: 0x87 })
})

test('a dead letter is acknowledged: 0x99 on MQTT 5', async (t) => {
  const { client } = await startBroker(t, { ingest: async () => 'dead_lettered' })
  const five = await client({ protocolVersion: 5 })
  await assert.rejects(five.publishAsync(alertsOf(ANA), 'x', { qos: 1 }), { code: 0x99 })
  const four = await client({ protocolVersion: 4, clientId: 'other' })
  await four.publishAsync(alertsOf(ANA), 'x', { qos: 1 })
})

test('an ingest that throws synchronously is a failed commit and does not end the process', async (t) => {
  const { client } = await startBroker(t, {
    ingest: () => {
      throw new Error('bug')
    },
  })
  const phone = await client()
  phone.publish(alertsOf(ANA), '{}', { qos: 1 })
  await until(() => !phone.connected, 'the connection ended')
})

for (const protocolVersion of versions) {
  test(`v${protocolVersion}: the same user's client id is taken over, another user's is not`, async (t) => {
    const { broker, client } = await startBroker(t)
    const ben = await client({ protocolVersion, username: 'sdk:app:ben' })
    const first = await client({ protocolVersion })
    const reasons: (number | undefined)[] = []
    first.on('disconnect', (one) => reasons.push(one.reasonCode))
    const second = await client({ protocolVersion })
    await until(() => !first.connected, 'the first was taken over')
    assert.deepEqual(reasons, protocolVersion === 5 ? [0x8e] : [])
    await second.subscribeAsync(eventsOf(ANA), { qos: 1 })
    const got: string[] = []
    second.on('message', (_topic, payload) => got.push(payload.toString()))
    broker.publish([eventsOf(ANA)], 'e')
    await until(() => got.length === 1, 'the second gets events')
    assert.equal(ben.connected, true)
    assert.equal(broker.connections(), 2)
  })

  test(`v${protocolVersion}: of many connections with one client id the last one stays`, async (t) => {
    const { broker, raw } = await startBroker(t)
    const sockets = Array.from({ length: 20 }, () => {
      const one = raw(protocolVersion)
      one.socket.write(connectPacket(protocolVersion))
      return one
    })
    await until(() => sockets.filter(({ closed }) => !closed()).length === 1, 'one was left')
    const survivor = sockets.find(({ closed }) => !closed())!
    await until(() => survivor.received.length === 1, 'it was admitted')
    assert.equal(broker.connections(), 1)
  })
}

for (const protocolVersion of versions) {
  test(`v${protocolVersion}: a user may have a limited number of connections, the newest stay, and other users are not affected`, async (t) => {
    const { broker, client } = await startBroker(t, { limits: { connectionsPerUser: 3 } })
    const ben = await client({ protocolVersion, username: 'sdk:app:ben' })
    const reasons: string[] = []
    const phones: Awaited<ReturnType<typeof client>>[] = []
    for (let n = 0; n < 5; n++) {
      const phone = await client({ protocolVersion, clientId: `phone ${n}` })
      phone.on('disconnect', ({ reasonCode }) => reasons.push(`${n} ${reasonCode}`))
      phones.push(phone)
    }
    await until(() => broker.connections() === 4, 'the oldest made room')
    await until(() => phones.slice(0, 2).every((phone) => !phone.connected), 'they know it')
    assert.deepEqual(reasons, protocolVersion === 5 ? ['0 151', '1 151'] : [])
    for (const phone of phones.slice(2)) await phone.publishAsync(alertsOf(ANA), '{}', { qos: 1 })
    assert.equal(ben.connected, true)
    // A takeover frees a place of its own.
    await client({ protocolVersion, clientId: 'phone 4' })
    await until(() => broker.connections() === 4, 'one was taken over')
    assert.equal(phones[2]?.connected, true)
  })
}

test('closeWhere ends the connections of a session with 0x98 and without their wills', async (t) => {
  const { broker, client, taken } = await startBroker(t)
  const will = { topic: alertsOf(ANA), payload: Buffer.from('{}'), qos: 1 as const }
  const ana = await client({ protocolVersion: 5, will })
  const ben = await client({ protocolVersion: 5, username: 'sdk:app:ben' })
  const reasons: (number | undefined)[] = []
  ana.on('disconnect', (one) => reasons.push(one.reasonCode))
  assert.equal(
    broker.closeWhere(({ userId }) => userId === ANA.userId),
    1,
  )
  await until(() => !ana.connected, 'the connection ended')
  await ben.publishAsync(telemetryOf(BEN), '{}', { qos: 1 })
  assert.deepEqual(reasons, [0x98])
  assert.deepEqual(
    taken.map(({ user }) => user),
    ['ben'],
  )
})

test('while suspended it sends every client away with 0x8B, without wills, and admits nobody', async (t) => {
  const { broker, client, taken } = await startBroker(t)
  const will = { topic: alertsOf(ANA), payload: Buffer.from('{}'), qos: 1 as const }
  const ana = await client({ protocolVersion: 5, will })
  const reasons: (number | undefined)[] = []
  ana.on('disconnect', (one) => reasons.push(one.reasonCode))
  broker.suspend(true)
  await until(() => !ana.connected, 'the connection ended')
  assert.deepEqual(reasons, [0x8b])
  await assert.rejects(client({ protocolVersion: 5 }), { code: 0x88 })
  await assert.rejects(client({ protocolVersion: 4 }), { code: 3 })
  broker.suspend(false)
  const again = await client({ protocolVersion: 5 })
  await again.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
  assert.equal(taken.length, 1)
})

test('close lets publishes in flight settle, sends 0x8B, and fires no wills', async (t) => {
  let commit = () => {}
  const { broker, client, taken } = await startBroker(t, {
    ingest: () =>
      new Promise((resolve) => {
        commit = () => resolve('stored')
      }),
  })
  const will = { topic: alertsOf(ANA), payload: Buffer.from('will'), qos: 1 as const }
  const phone = await client({ protocolVersion: 5, over: 'ws', will })
  const reasons: (number | undefined)[] = []
  phone.on('disconnect', (one) => reasons.push(one.reasonCode))
  const before = commit
  const published = phone.publishAsync(alertsOf(ANA), 'last', { qos: 1 })
  await until(() => commit !== before, 'ingest began')
  const closed = broker.close()
  await quiet()
  assert.deepEqual(reasons, [])
  commit()
  await published
  await closed
  await until(() => reasons.length === 1, 'the client was told')
  assert.deepEqual(reasons, [0x8b])
  assert.deepEqual(
    taken.map(({ payload }) => payload),
    ['last'],
  )
})

for (const { name, topic, expected } of [
  { name: 'on an own topic is stored', topic: alertsOf(ANA), expected: ['will'] },
  { name: 'on a foreign topic is not', topic: alertsOf(BEN), expected: [] },
]) {
  test(`a will ${name} when the connection breaks; after a DISCONNECT there is none`, async (t) => {
    const { broker, raw, taken, client } = await startBroker(t)
    const will = { topic, payload: Buffer.from('will'), qos: 1 as const, retain: true }
    for (const leave of ['disconnect', 'break'] as const) {
      const { socket, received, closed } = raw(4)
      socket.write(connectPacket(4, { will }))
      await until(() => received.length === 1, 'the client was admitted')
      if (leave === 'break') socket.resetAndDestroy()
      else socket.write(packet({ cmd: 'disconnect' }, 4))
      await until(() => closed() && broker.connections() === 0, 'the connection ended')
    }
    await until(() => taken.length >= expected.length, 'the will was taken in')
    const other = await client({ clientId: 'other' })
    await other.publishAsync(telemetryOf(ANA), 'after', { qos: 1 })
    assert.deepEqual(
      taken.map(({ payload }) => payload),
      [...expected, 'after'],
    )
  })
}

for (const version of [4, 5] as const) {
  test(`a client that leaves before Aedes has read its DISCONNECT leaves no will (${version})`, async (t) => {
    const { raw, taken, client } = await startBroker(t)
    const will = { topic: alertsOf(ANA), payload: Buffer.from('will'), qos: 1 as const, retain: false }
    const { socket, closed } = raw(version)
    socket.end(
      Buffer.concat([connectPacket(version, { clientId: 'same', will }), packet({ cmd: 'disconnect' }, version)]),
    )
    await until(closed, 'the connection ended')
    // The next connection with this id is admitted after this one and its will have gone.
    const next = await client({ clientId: 'same' })
    await next.publishAsync(telemetryOf(ANA), 'after', { qos: 1 })
    assert.deepEqual(
      taken.map(({ payload }) => payload),
      ['after'],
    )
  })
}

test('MQTT 5 DISCONNECT with 0x04 fires the will', async (t) => {
  const { raw, taken } = await startBroker(t)
  const { socket, received } = raw(5)
  socket.write(
    connectPacket(5, { will: { topic: alertsOf(ANA), payload: Buffer.from('will'), qos: 1, retain: false } }),
  )
  await until(() => received.length === 1, 'the client was admitted')
  socket.write(packet({ cmd: 'disconnect', reasonCode: 4 }, 5))
  await until(() => taken.length === 1, 'the will was taken in')
})

test('a reused QoS 2 id after a reconnect is a new message', async (t) => {
  const { raw, taken } = await startBroker(t)
  for (const payload of ['first', 'second']) {
    const { socket, received, closed } = raw(4)
    socket.write(connectPacket(4))
    socket.write(publishPacket(4, 1, { qos: 2, payload }))
    await until(() => received.length === 2, 'the PUBREC came')
    socket.end()
    await until(closed, 'the connection ended')
  }
  assert.deepEqual(
    taken.map(({ payload }) => payload),
    ['first', 'second'],
  )
})

test('sessions are clean: a subscription does not outlive its connection', async (t) => {
  const { broker, client } = await startBroker(t)
  const first = await client({ clean: false })
  await first.subscribeAsync(eventsOf(ANA), { qos: 1 })
  await first.endAsync()
  broker.publish([eventsOf(ANA)], 'missed')
  const second = await client({ clean: false })
  const got: string[] = []
  second.on('message', (_topic, payload) => got.push(payload.toString()))
  await second.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
  broker.publish([eventsOf(ANA)], 'not subscribed')
  await second.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
  assert.deepEqual(got, [])
})

test('a subscription may carry an identifier', async (t) => {
  const { broker, client } = await startBroker(t)
  const phone = await client({ protocolVersion: 5 })
  const identifiers: unknown[] = []
  phone.on('message', (_topic, _payload, { properties }) => identifiers.push(properties?.subscriptionIdentifier))
  await phone.subscribeAsync(eventsOf(ANA), { qos: 1, properties: { subscriptionIdentifier: 42 } })
  broker.publish([eventsOf(ANA)], 'e')
  await until(() => identifiers.length === 1, 'the event came')
  assert.deepEqual(identifiers, [42])
})

test('client ids named like properties of Object.prototype are ordinary ids', async (t) => {
  const { client } = await startBroker(t)
  for (const clientId of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const phone = await client({ clientId })
    await phone.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
    await phone.endAsync()
  }
})

test('a WebSocket speaks binary frames, and mqttv3.1 is accepted as a subprotocol', async (t) => {
  const { webSocketUrl, client, ends } = await startBroker(t)
  const text = new WebSocket(webSocketUrl, 'mqttv3.1')
  ends.push(() => text.terminate())
  const codes: number[] = []
  text.on('error', () => {})
  text.on('close', (code) => codes.push(code))
  text.on('open', () => text.send('hello'))
  await until(() => codes.length === 1, 'the WebSocket was closed')
  assert.deepEqual(codes, [1003])
  const frames: number[] = []
  const binary = new WebSocket(webSocketUrl, 'mqtt')
  ends.push(() => binary.terminate())
  binary.on('open', () => binary.send(connectPacket(5)))
  binary.on('message', (data: Buffer) => frames.push(data.length))
  await until(() => frames.length === 1, 'the CONNACK came')
  assert.ok(frames[0]! > 5, 'the CONNACK is one frame')
  await client({ over: 'ws' })
})

for (const [what, flood] of [
  ['empty messages', (socket: WebSocket) => socket.send('', { binary: true })],
  ['pings', (socket: WebSocket) => socket.ping()],
  ['pongs', (socket: WebSocket) => socket.pong()],
  ['fragments', (socket: WebSocket) => socket.send('', { binary: true, fin: false })],
] as const) {
  test(`a WebSocket that sends nothing but ${what} is ended, one that sends a few is not`, async (t) => {
    const { webSocketUrl, broker, ends } = await startBroker(t)
    const socket = new WebSocket(webSocketUrl, 'mqtt')
    ends.push(() => socket.terminate())
    let received = 0
    let closed = false
    socket.on('error', () => {})
    socket.on('close', () => {
      closed = true
    })
    socket.on('message', () => received++)
    await new Promise((resolve) => socket.once('open', resolve))
    if (what !== 'fragments') for (let n = 0; n < 50; n++) flood(socket)
    socket.send(connectPacket(5))
    await until(() => received === 1, 'the CONNACK came')
    assert.equal(broker.connections(), 1)
    for (let n = 0; n < 2000; n++) flood(socket)
    await until(() => closed, 'the connection ended')
    await until(() => broker.connections() === 0, 'the broker forgot it')
  })
}

test('a WebSocket that sends its packets byte by byte is slowed, and loses nothing', async (t) => {
  const { webSocketUrl, taken, ends } = await startBroker(t)
  const socket = new WebSocket(webSocketUrl, 'mqtt')
  ends.push(() => socket.terminate())
  let received = 0
  socket.on('message', () => received++)
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(connectPacket(4))
  await until(() => received === 1, 'the CONNACK came')
  const began = performance.now()
  const count = 50
  let frames = 0
  for (let n = 0; n < count; n++) {
    for (const byte of publishPacket(4, n + 1, { qos: 0, payload: 'x'.repeat(800) })) {
      socket.send(Buffer.of(byte))
      frames++
    }
  }
  await until(() => taken.length === count, 'all publishes were taken in')
  assert.ok(performance.now() - began > 1000 * (Math.floor(frames / 20_000) - 1), `${frames} frames`)
})

test('another path is not upgraded', async (t) => {
  const { webSocketUrl, ends } = await startBroker(t)
  const lost = new WebSocket(webSocketUrl.replace('/mqtt', '/else'), 'mqtt')
  ends.push(() => lost.terminate())
  const answers: (number | undefined)[] = []
  lost.on('error', () => {})
  lost.on('unexpected-response', (_request, response) => answers.push(response.statusCode))
  await until(() => answers.length === 1, 'an answer came')
  // As any other request.
  assert.deepEqual(answers, [200])
})

test('many failed logins from one address lock out no other client', async (t) => {
  const { raw, client } = await startBroker(t)
  const bad = connectPacket(4, { password: Buffer.from('wrong') })
  for (let round = 0; round < 2; round++) {
    const attempts = Array.from({ length: 50 }, () => {
      const one = raw(4)
      one.socket.write(bad)
      return one
    })
    await until(() => attempts.every(({ closed }) => closed()), 'all were refused')
  }
  const phone = await client()
  await phone.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
})

test('a subscriber that does not read stalls no other client and is dropped', async (t) => {
  const { broker, url, client, ends } = await startBroker(t)
  const stuck = connectSocket(Number(new URL(url).port), '127.0.0.1')
  ends.push(() => stuck.destroy())
  stuck.on('error', () => {})
  stuck.write(connectPacket(4, { clientId: 'stuck' }))
  await new Promise((resolve) => stuck.once('data', resolve))
  stuck.pause()
  stuck.write(packet({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: eventsOf(ANA), qos: 1 }] }, 4))
  const phone = await client()
  await phone.subscribeAsync(eventsOf(ANA), { qos: 1 })
  let got = 0
  phone.on('message', () => got++)
  const payload = 'x'.repeat(60_000)
  for (let sent = 1; broker.connections() === 2; sent++) {
    assert.ok(sent < 1000, 'the reader was dropped')
    broker.publish([eventsOf(ANA)], payload)
    await until(() => got === sent, 'the other reader got the event')
  }
})

test('no stream of bytes causes an uncaught error', async (t) => {
  const uncaught: unknown[] = []
  const keep = (error: unknown) => uncaught.push(error)
  process.on('uncaughtException', keep).on('unhandledRejection', keep)
  t.after(() => process.off('uncaughtException', keep).off('unhandledRejection', keep))
  const { raw, client } = await startBroker(t)
  const own = eventsOf(ANA)
  const packets = (version: number) => [
    publishPacket(version, 1),
    publishPacket(version, 2, { qos: 2 }),
    publishPacket(version, 0, { qos: 0, messageId: undefined }),
    publishPacket(version, 3, { topic: '__proto__' }),
    publishPacket(version, 4, { properties: { topicAlias: 1, responseTopic: 'a', userProperties: { a: 'b' } } }),
    packet({ cmd: 'pubrel', messageId: 2, reasonCode: 0 }, version),
    packet({ cmd: 'puback', messageId: 2, reasonCode: 0 }, version),
    packet({ cmd: 'subscribe', messageId: 5, subscriptions: [{ topic: own, qos: 1 }] }, version),
    packet({ cmd: 'subscribe', messageId: 6, subscriptions: [{ topic: '__proto__', qos: 1 }] }, version),
    packet({ cmd: 'unsubscribe', messageId: 7, unsubscriptions: [own, 'constructor'] }, version),
    packet({ cmd: 'pingreq' }, version),
    packet({ cmd: 'disconnect', reasonCode: 0 }, version),
  ]
  const mutation = fc.record({
    at: fc.nat(4000),
    byte: fc.nat(255),
    kind: fc.constantFrom('set', 'cut', 'insert', 'none'),
  })
  const story = fc.record({
    version: fc.constantFrom(...versions),
    steps: fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }),
    mutations: fc.array(mutation, { maxLength: 4 }),
    clientId: fc.constantFrom('', 'a', '__proto__', 'constructor'),
  })
  const deadline = performance.now() + 3000
  await fc.assert(
    fc.asyncProperty(fc.array(story, { minLength: 8, maxLength: 8 }), async (stories) => {
      // Not `interruptAfterTimeLimit`, which fails if not even the first one ends in time, and leaves one unfinished.
      if (performance.now() > deadline) return
      await Promise.all(
        stories.map(async ({ version, steps, mutations, clientId }) => {
          const all = packets(version)
          let bytes = Buffer.concat([
            connectPacket(version, {
              clientId,
              will: { topic: alertsOf(ANA), payload: Buffer.from('w'), qos: 2, retain: true },
            }),
            ...steps.map((step) => all[step]!),
          ])
          for (const { at, byte, kind } of mutations) {
            const place = at % bytes.length
            if (kind === 'set') bytes[place] = byte
            if (kind === 'cut') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)])
            if (kind === 'insert')
              bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)])
          }
          const { socket, closed } = raw(version)
          socket.removeAllListeners('data')
          socket.resume()
          socket.end(bytes)
          await until(closed, 'the connection ended')
        }),
      )
    }),
    { numRuns: 150 },
  )
  const phone = await client({ clientId: 'still here' })
  await phone.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
  assert.deepEqual(uncaught, [])
})

test('an MQTT 5 client that exceeds the receive maximum at QoS 2 gets the reason code for it', async (t) => {
  const { raw } = await startBroker(t, { limits: { receiveMaximum: 10 } })
  const { socket, received } = raw(5)
  socket.write(connectPacket(5))
  socket.write(Buffer.concat(Array.from({ length: 11 }, (_, i) => publishPacket(5, i + 1, { qos: 2 }))))
  const told = () => received.find((one): one is IDisconnectPacket => one.cmd === 'disconnect')
  await until(() => told() !== undefined, 'the DISCONNECT came')
  assert.equal(told()!.reasonCode, 0x93)
})

test('QoS 0 publishes in flight are bounded too, and all are stored', async (t) => {
  let atOnce = 0
  let max = 0
  const { client, taken } = await startBroker(t, {
    limits: { inFlight: 4 },
    ingest: async () => {
      max = Math.max(max, ++atOnce)
      await quiet()
      atOnce--
      return 'stored'
    },
  })
  const phone = await client()
  for (let n = 0; n < 50; n++) phone.publish(telemetryOf(ANA), `${n}`, { qos: 0 })
  await until(() => taken.length === 50, 'all were taken in')
  assert.equal(max, 4)
})

test('in-flight publishes are bounded end to end, and a blocked connection blocks no other', async (t) => {
  const waiting: (() => void)[] = []
  let max = 0
  const { raw, client } = await startBroker(t, {
    limits: { inFlight: 8 },
    ingest: ({ session }) => {
      if (session.userId !== ANA.userId) return Promise.resolve('stored')
      return new Promise((resolve) => {
        waiting.push(() => resolve('stored'))
        max = Math.max(max, waiting.length)
      })
    },
  })
  const { socket, received } = raw(4)
  socket.write(connectPacket(4))
  socket.write(Buffer.concat(Array.from({ length: 500 }, (_, i) => publishPacket(4, i + 1))))
  await until(() => waiting.length === 8, 'the window was filled')
  const ben = await client({ username: 'sdk:app:ben' })
  await ben.publishAsync(telemetryOf(BEN), '{}', { qos: 1 })
  const acknowledged = () => received.filter(({ cmd }) => cmd === 'puback').map(({ messageId }) => messageId)
  while (acknowledged().length < 500) {
    const before = acknowledged().length
    for (const settle of waiting.splice(0)) settle()
    await until(
      () => acknowledged().length === 500 || (acknowledged().length > before && waiting.length > 0),
      'it went on',
    )
  }
  assert.equal(max, 8)
  assert.deepEqual(
    acknowledged(),
    Array.from({ length: 500 }, (_, i) => i + 1),
  )
})

test('an address with many failures may hold few connections open, and a good client there still gets in', async (t) => {
  const { raw, client, broker } = await startBroker(t, { limits: { pendingPerAddress: 300 } })
  // Fewer at a time than may wait: one that makes room for another is no failure.
  for (let round = 0; round < 6; round++) {
    const leaving = Array.from({ length: 20 }, () => raw(4))
    await until(() => leaving.every(({ socket }) => !socket.connecting), 'they were accepted')
    for (const { socket } of leaving) socket.destroy()
    await until(() => leaving.every(({ closed }) => closed()), 'they left without a word')
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => broker.connections() === 0, 'nobody is in')
  // After a hundred recent failures, nine of three hundred may wait.
  const silent = Array.from({ length: 40 }, () => raw(4))
  await until(() => silent.filter(({ closed }) => closed()).length >= 25, 'most of the silent ones made room')
  const phone = await client()
  await phone.publishAsync(telemetryOf(ANA), '{}', { qos: 1 })
  assert.ok(silent.some(({ closed }) => !closed()))
})
