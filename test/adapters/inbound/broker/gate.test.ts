import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IConnackPacket, IDisconnectPacket, IPubackPacket, ISubackPacket, IUnsubackPacket } from 'mqtt-packet'
import { defaultLimits } from '../../../../src/adapters/inbound/broker/limits.ts'
import fc from '../../../harness/fast-check.ts'
import {
  ANA,
  connectPacket,
  eventsOf,
  packet,
  publishPacket,
  quiet,
  startGate,
  stopClock,
  telemetryOf,
  until,
} from './harness.ts'

const versions = [4, 5] as const
const PING = Buffer.from([0xc0, 0])

const disconnectReason = (received: readonly unknown[]) =>
  (received.find((one) => (one as IDisconnectPacket).cmd === 'disconnect') as IDisconnectPacket | undefined)?.reasonCode

test('the gate takes publishes in order, and Aedes sees none of them', async (t) => {
  const { client, taken, passed, opened } = startGate(t)
  await opened()
  client.write(Buffer.concat([1, 2, 3].map((id) => publishPacket(4, id))))
  await until(() => taken.length === 3, 'the publishes were taken')
  assert.deepEqual(
    taken.map(({ id, topic, payload }) => [id, topic, payload.toString()]),
    [1, 2, 3].map((id) => [id, telemetryOf(ANA), `{"n":${id}}`]),
  )
  assert.deepEqual(
    passed.map(({ cmd }) => cmd),
    ['connect'],
  )
})

test('frames arrive whole however the stream is split', async (t) => {
  const bytes = Buffer.concat([
    connectPacket(4),
    publishPacket(4, 1),
    publishPacket(4, 2, { payload: 'x'.repeat(300) }),
    PING,
    publishPacket(4, 3),
  ])
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 30 }), async (cuts) => {
      const { client, gate, published } = startGate(t)
      const ends = [...new Set(cuts), bytes.length].sort((a, b) => a - b)
      let from = 0
      for (const end of ends) {
        client.write(Buffer.from(bytes.subarray(from, end)))
        from = end
        await new Promise((resolve) => setImmediate(resolve))
      }
      await until(() => published().length === 3, 'all publishes passed')
      assert.deepEqual(published(), [1, 2, 3])
      gate.destroy()
    }),
    { numRuns: 40 },
  )
})

for (const [name, bytes] of [
  ['five length bytes', Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01])],
  ['more length bytes than needed', Buffer.from([0x30, 0x85, 0x00, 1, 2, 3, 4, 5])],
  ['QoS 3', Buffer.from([0x36, 5, 0, 1, 0x61, 0, 1])],
  ['a topic longer than its packet', Buffer.from([0x30, 3, 0, 9, 0x61])],
  ['no message id', Buffer.from([0x32, 5, 0, 1, 0x61, 0, 0])],
  ['wrong flags', Buffer.from([0xc1, 0])],
  ['a packet that only servers may send', Buffer.from([0xd0, 0])],
  ['reserved type 0', Buffer.from([0x00, 0])],
  ['a PINGREQ with a payload', Buffer.from([0xc0, 1, 0])],
  ['an AUTH', Buffer.from([0xf0, 2, 0x18, 0])],
  ['a second CONNECT', connectPacket(5)],
  ['a SUBSCRIBE without topics', Buffer.from([0x82, 3, 0, 1, 0])],
  ['subscription id 0', Buffer.from([0x82, 9, 0, 1, 2, 0x0b, 0, 0, 1, 0x61, 0])],
] as const) {
  test(`${name} ends the connection, and Aedes sees nothing of it`, async (t) => {
    const { client, passed, received, opened, over } = startGate(t, { version: 5 })
    await opened()
    client.write(bytes)
    await over()
    assert.deepEqual(
      passed.map(({ cmd }) => cmd),
      ['connect'],
    )
    assert.ok([0x81, 0x82].includes(disconnectReason(received) ?? 0))
  })
}

test('a declared length above the limit ends the connection before it is buffered', async (t) => {
  const { client, received, opened, over } = startGate(t, { version: 5 })
  await opened()
  // 256 MB - 1, of which only the fixed header is sent.
  client.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))
  await over()
  assert.equal(disconnectReason(received), 0x95)
})

test('a packet of exactly the limit passes, one byte more does not', async (t) => {
  const { client, published, settle, opened, over } = startGate(t, { limits: { maxPacketBytes: 1000 } })
  await opened()
  const around = publishPacket(4, 1, { payload: 'x'.repeat(200) }).length - 200
  client.write(publishPacket(4, 1, { payload: 'x'.repeat(1000 - around) }))
  await until(() => published().length === 1, 'the packet passed')
  settle(0)
  client.write(publishPacket(4, 2, { payload: 'x'.repeat(1001 - around) }))
  await over()
  assert.deepEqual(published(), [1])
})

test('before the CONNECT a packet may have 4 KB, whatever length it declares', async (t) => {
  const { client, admitted, received, over } = startGate(t)
  client.write(connectPacket(4, { clientId: 'x'.repeat(4096) }).subarray(0, 10))
  await over()
  assert.deepEqual([admitted.length, received.length], [0, 0])
})

test('the retain flag of a will never reaches Aedes', async (t) => {
  const { passed, opened } = startGate(t, { connect: { will: { topic: 'w', payload: 'w', qos: 1, retain: true } } })
  await opened()
  assert.equal(passed[0]!.cmd === 'connect' && passed[0].will?.retain, false)
})

test('Aedes sees a verified, clean, scoped client without credentials, expiry or will delay', async (t) => {
  const { passed, opened } = startGate(t, {
    version: 5,
    connect: {
      clean: false,
      clientId: '__proto__',
      properties: { sessionExpiryInterval: 3600, userProperties: { a: 'b' } },
      will: { topic: 'w', payload: 'bye', qos: 1, retain: false, properties: { willDelayInterval: 60 } },
    },
  })
  await opened()
  const connect = passed[0]!
  assert.ok(connect.cmd === 'connect')
  assert.equal(connect.clientId, `${ANA.userId}|__proto__`)
  assert.equal(connect.clean, true)
  assert.equal(connect.keepalive, 0)
  assert.equal(connect.username, undefined)
  assert.deepEqual(connect.properties, { requestProblemInformation: true })
  assert.equal(connect.will?.properties?.willDelayInterval, undefined)
  assert.equal(String(connect.will?.payload), 'bye')
})

test('CONNACK announces the limits to MQTT 5 clients', async (t) => {
  const { received, opened } = startGate(t, {
    version: 5,
    connect: { clientId: '', keepalive: 0, properties: { sessionExpiryInterval: 3600 } },
  })
  await opened()
  const { sessionPresent, reasonCode, properties } = received[0] as IConnackPacket
  const { assignedClientIdentifier, ...rest } = properties!
  assert.deepEqual([sessionPresent, reasonCode], [false, 0])
  assert.match(assignedClientIdentifier!, /^tocsin-/)
  assert.deepEqual(rest, {
    sessionExpiryInterval: 0,
    receiveMaximum: defaultLimits.receiveMaximum,
    maximumPacketSize: defaultLimits.maxPacketBytes,
    wildcardSubscriptionAvailable: false,
    sharedSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: true,
    serverKeepAlive: 200,
  })
})

for (const { name, version, bytes, code } of [
  {
    name: '3.1.1 without an id and not clean',
    version: 4,
    bytes: connectPacket(4, { clientId: 'x', clean: false }),
    code: 2,
  },
  {
    name: '3.1.1 with an id of 257 bytes',
    version: 4,
    bytes: connectPacket(4, { clientId: `${'ü'.repeat(128)}x` }),
    code: 2,
  },
  {
    name: '5 with an id of 257 bytes',
    version: 5,
    bytes: connectPacket(5, { clientId: `${'ü'.repeat(128)}x` }),
    code: 0x85,
  },
  {
    name: '5 with enhanced authentication',
    version: 5,
    bytes: connectPacket(5, { properties: { authenticationMethod: 'SCRAM' } }),
    code: 0x8c,
  },
  {
    name: '5 with receive maximum 0',
    version: 5,
    bytes: connectPacket(5, { properties: { receiveMaximum: 0 } }),
    code: 0x82,
  },
  { name: 'level 2', version: 4, bytes: withLevel(connectPacket(4), 2), code: 1 },
  { name: 'level 9', version: 5, bytes: withLevel(connectPacket(5), 9), code: 0x84 },
] as const) {
  test(`CONNECT of ${name} is refused with ${code}`, async (t) => {
    const { client, received, admitted, over } = startGate(t, { version })
    // The generator cannot write an empty id together with clean = false.
    client.write(code === 2 && version === 4 && name.includes('without') ? withoutId(bytes) : bytes)
    await over()
    const connack = received[0] as IConnackPacket
    assert.equal(version === 5 ? connack.reasonCode : connack.returnCode, code)
    assert.equal(admitted.length, 0)
  })
}

/** An MQTT 5 CONNECT with exactly these fields. */
function rawConnect({
  properties = [],
  id = [0x61],
  will = [],
  username = [0x62],
  behind = [],
  version = 5,
}: Raw): Buffer {
  const flags = 0xc2 | (will.length > 0 ? 4 : 0)
  const field = (bytes: readonly number[]) => [0, bytes.length, ...bytes]
  const rest = [
    ...[...field([...Buffer.from('MQTT')]), version, flags, 0, 30],
    ...(version === 5 ? [properties.length, ...properties] : []),
    ...[...field(id), ...will, ...field(username), ...field([0xff, 0]), ...behind],
  ]
  return Buffer.from([0x10, rest.length, ...rest])
}
type Raw = {
  readonly properties?: readonly number[]
  readonly id?: readonly number[]
  readonly will?: readonly number[]
  readonly username?: readonly number[]
  readonly behind?: readonly number[]
  readonly version?: 4 | 5
}

for (const [what, raw, reason] of [
  ['a client id that is not UTF-8', { id: [0xff] }, 0x81],
  ['a client id with U+0000', { id: [0x61, 0] }, 0x81],
  ['a username that is not UTF-8', { username: [0xfe] }, 0x81],
  ['a will topic that is not UTF-8', { will: [0, 0, 1, 0xc0, 0, 0] }, 0x81],
  ['bytes after its payload', { behind: [0] }, 0x81],
  ['a topic alias', { properties: [0x23, 0, 1] }, 0x81],
  ['session expiry twice', { properties: [0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1] }, 0x82],
  ['request problem information 2', { properties: [0x17, 2] }, 0x82],
  ['request response information 2', { properties: [0x19, 2] }, 0x82],
  ['authentication data without a method', { properties: [0x16, 0, 1, 0x61] }, 0x82],
  ['a will of payload format 2', { will: [2, 1, 2, 0, 1, 0x77, 0, 0] }, 0x82],
] as const satisfies readonly (readonly [string, Raw, number])[]) {
  test(`CONNECT with ${what} is refused with ${reason.toString(16)}`, async (t) => {
    const { client, received, admitted, over } = startGate(t, { version: 5 })
    client.write(rawConnect(raw))
    await over()
    assert.equal((received[0] as IConnackPacket).reasonCode, reason)
    assert.equal(admitted.length, 0)
  })
}

for (const raw of [{ id: [0xff] }, { username: [0x62, 0] }, { behind: [0] }]) {
  test(`3.1.1 has no return code for a CONNECT with ${JSON.stringify(raw)}: the connection just ends`, async (t) => {
    const { client, received, admitted, over } = startGate(t)
    client.write(rawConnect({ ...raw, version: 4 }))
    await over()
    assert.deepEqual([received.length, admitted.length], [0, 0])
  })
}

for (const version of versions) {
  test(`v${version}: a password may be any bytes, and user properties may repeat`, async (t) => {
    const { client, admitted } = startGate(t, { version })
    const user = [0x26, 0, 1, 0x61, 0, 0]
    client.write(
      rawConnect({ version, properties: [...user, ...user], will: version === 5 ? [0, 0, 1, 0x77, 0, 0] : [] }),
    )
    await until(() => admitted.length === 1, 'it was admitted')
  })
}

test('a topic that is not valid UTF-8 ends the connection with 0x81', async (t) => {
  const { client, received, taken, opened, over } = startGate(t, { version: 5 })
  await opened()
  client.write(Buffer.from([0x30, 4, 0, 1, 0xff, 0]))
  await over()
  assert.equal(disconnectReason(received), 0x81)
  assert.equal(taken.length, 0)
})

function withLevel(connect: Buffer, level: number): Buffer {
  const bytes = Buffer.from(connect)
  bytes[8] = level
  return bytes
}

/** Removes the one-letter client id from a 3.1.1 CONNECT. */
function withoutId(connect: Buffer): Buffer {
  const bytes = Buffer.concat([connect.subarray(0, 12), Buffer.from([0, 0]), connect.subarray(15)])
  bytes[1]!--
  return bytes
}

test('client ids have up to 256 bytes of UTF-8', async (t) => {
  const { admitted, opened } = startGate(t, { connect: { clientId: 'ü'.repeat(128) } })
  await opened()
  assert.equal(admitted[0]!.clientId, 'ü'.repeat(128))
})

const deep = Array(150).fill('a').join('/')
for (const version of versions) {
  test(`v${version}: any topic but the user's own events topic is answered in SUBACK and never reaches Aedes`, async (t) => {
    const { client, passed, received, refusals, opened } = startGate(t, { version })
    await opened()
    const topics = [
      '#',
      '+/x',
      '$share/g/t',
      '__proto__',
      'constructor',
      'toString',
      deep,
      'sos/events/other',
      `${eventsOf(ANA)}/#`,
      '5',
    ]
    client.write(
      packet({ cmd: 'subscribe', messageId: 7, subscriptions: topics.map((topic) => ({ topic, qos: 1 })) }, version),
    )
    client.write(packet({ cmd: 'unsubscribe', messageId: 8, unsubscriptions: ['constructor', '#', deep] }, version))
    client.write(PING)
    await until(() => received.length === 4, 'all was answered')
    assert.deepEqual(
      (received[1] as ISubackPacket).granted,
      topics.map(() => (version === 5 ? 0x87 : 0x80)),
    )
    assert.equal(received[1]!.messageId, 7)
    assert.equal(received[2]!.messageId, 8)
    if (version === 5) assert.deepEqual((received[2] as IUnsubackPacket).granted, [0x11, 0x11, 0x11])
    assert.equal(passed.length, 1)
    assert.deepEqual(refusals, ['subscribe', 'unsubscribe'])
  })

  test(`v${version}: Aedes gets the user's own topic once, and its answer fills every place of that topic`, async (t) => {
    const { client, passed, received, opened, answer } = startGate(t, { version })
    await opened()
    const own = eventsOf(ANA)
    const subscriptions = [own, '#', own].map((topic, index) => ({ topic, qos: index === 2 ? 2 : 0 }))
    client.write(packet({ cmd: 'subscribe', messageId: 7, subscriptions }, version))
    await until(() => passed.length === 2, 'the subscription passed')
    const forwarded = passed[1]!
    assert.ok(forwarded.cmd === 'subscribe')
    assert.deepEqual(
      forwarded.subscriptions.map(({ topic, qos }) => ({ topic, qos })),
      [{ topic: own, qos: 2 }],
    )
    answer({ cmd: 'suback', messageId: 7, granted: [2] })
    await until(() => received.length === 2, 'the SUBACK came')
    assert.deepEqual((received[1] as ISubackPacket).granted, [2, version === 5 ? 0x87 : 0x80, 2])
  })

  test(`v${version}: no more publishes pass than the window holds; the rest follow in order, and nothing is dropped`, async (t) => {
    const { client, published, settle, opened } = startGate(t, { version, limits: { inFlight: 4 } })
    await opened()
    client.write(Buffer.concat(Array.from({ length: 50 }, (_, i) => publishPacket(version, i + 1))))
    for (let settled = 0; settled < 50; settled++) {
      await until(() => published().length >= Math.min(50, settled + 4), 'the window was filled')
      await quiet()
      assert.equal(published().length, Math.min(50, settled + 4))
      settle(settled)
    }
    assert.deepEqual(
      published(),
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  test(`v${version}: a QoS 2 publish is stored once, and two PUBRELs in one chunk get their PUBCOMPs`, async (t) => {
    const { client, published, received, settle, opened } = startGate(t, { version })
    await opened()
    client.write(Buffer.concat([publishPacket(version, 1, { qos: 2 }), publishPacket(version, 2, { qos: 2 })]))
    await until(() => published().length === 2, 'both were taken')
    assert.equal(received.length, 1)
    settle(0)
    settle(1)
    await until(() => received.length === 3, 'both were received')
    // A repeat is acknowledged again, but not stored again.
    client.write(publishPacket(version, 1, { qos: 2, dup: true }))
    await until(() => received.length === 4, 'the repetition was answered')
    const pubrel = (messageId: number) => packet({ cmd: 'pubrel', messageId, reasonCode: 0 }, version)
    client.write(Buffer.concat([pubrel(1), pubrel(1), pubrel(2), pubrel(2)]))
    await until(() => received.length === 8, 'all were completed')
    assert.deepEqual(
      received.slice(1).map(({ cmd, messageId }) => `${cmd} ${messageId}`),
      ['pubrec 1', 'pubrec 2', 'pubrec 1', 'pubcomp 1', 'pubcomp 1', 'pubcomp 2', 'pubcomp 2'],
    )
    assert.equal(published().length, 2)
    // After its PUBCOMP, an id stands for a new message.
    client.write(publishPacket(version, 1, { qos: 2 }))
    await until(() => published().length === 3, 'the new message was taken')
  })

  test(`v${version}: a QoS 1 acknowledgement is never taken for a QoS 2 one`, async (t) => {
    const { client, published, received, settle, opened } = startGate(t, { version })
    await opened()
    client.write(Buffer.concat([publishPacket(version, 9), publishPacket(version, 9, { qos: 2 })]))
    await until(() => published().length === 2, 'both were taken')
    settle(1)
    await until(() => received.length === 2, 'the second was answered')
    settle(0)
    await until(() => received.length === 3, 'both were answered')
    assert.deepEqual(
      received.slice(1).map(({ cmd }) => cmd),
      ['pubrec', 'puback'],
    )
  })

  test(`v${version}: a publish that could not be committed gets no acknowledgement, and ends the connection`, async (t) => {
    const { client, published, received, failures, settle, opened, over } = startGate(t, { version })
    await opened()
    client.write(publishPacket(version, 1))
    await until(() => published().length === 1, 'the publish was taken')
    const failure = new Error('the disk is gone')
    settle(0, failure)
    await over()
    assert.deepEqual(failures, [failure])
    assert.deepEqual(
      received.slice(1).map(({ cmd }) => cmd),
      version === 5 ? ['disconnect'] : [],
    )
  })

  test(`v${version}: publishes before a violation still settle`, async (t) => {
    const { client, gate, published, receivedCmds, settle, opened, over } = startGate(t, { version })
    await opened()
    client.write(Buffer.concat([publishPacket(version, 1), Buffer.from([0x00, 0])]))
    await until(() => published().length === 1, 'the publish passed')
    await quiet()
    assert.equal(gate.destroyed, false)
    settle(0)
    await over()
    assert.equal(receivedCmds()[1], 'puback')
  })

  test(`v${version}: a DISCONNECT waits for the acknowledgements`, async (t) => {
    const { client, passed, published, receivedCmds, settle, opened } = startGate(t, { version })
    await opened()
    client.write(Buffer.concat([publishPacket(version, 1), packet({ cmd: 'disconnect', reasonCode: 0 }, version)]))
    await until(() => published().length === 1, 'the publish was taken')
    await quiet()
    assert.equal(passed.length, 1)
    settle(0)
    await until(() => passed.length === 2, 'the DISCONNECT passed')
    assert.deepEqual(receivedCmds(), ['connack', 'puback'])
  })
}

test('after stopReading nothing more is read, and what is in flight is still acknowledged', async (t) => {
  const { client, gate, published, receivedCmds, settle, opened } = startGate(t)
  await opened()
  client.write(publishPacket(4, 1))
  await until(() => published().length === 1, 'the publish was taken')
  gate.stopReading()
  client.write(Buffer.concat([publishPacket(4, 2), PING]))
  settle(0)
  await until(() => receivedCmds().includes('puback'), 'the acknowledgement')
  await quiet()
  assert.deepEqual(published(), [1])
  assert.deepEqual(receivedCmds(), ['connack', 'puback'])
})

test('the publishes of a client that sends and disconnects immediately are all taken', async (t) => {
  const { client, published, settle, over } = startGate(t, { limits: { inFlight: 1 } })
  const publishes = [1, 2, 3].map((n) =>
    packet({ cmd: 'publish', topic: telemetryOf(ANA), payload: `${n}`, qos: 0 }, 4),
  )
  client.end(Buffer.concat([connectPacket(4), ...publishes]))
  for (let n = 1; n <= 3; n++) {
    await until(() => published().length === n, 'the next publish passed')
    settle(n - 1)
  }
  await over()
  assert.equal(published().length, 3)
})

test('the bytes in flight are bounded too, but one publish always fits', async (t) => {
  const { client, published, settle, opened } = startGate(t, { limits: { inFlightBytes: 100 } })
  await opened()
  client.write(Buffer.concat([1, 2].map((id) => publishPacket(4, id, { payload: 'x'.repeat(500) }))))
  await until(() => published().length === 1, 'the first passed')
  await quiet()
  assert.equal(published().length, 1)
  settle(0)
  await until(() => published().length === 2, 'the second passed')
})

test('while too much waits for the disk, each connection has only a few publishes in flight; nothing is lost', async (t) => {
  let congested = true
  const { client, published, settle, opened } = startGate(t, { isCongested: () => congested })
  await opened()
  for (let id = 1; id <= 8; id += 1) client.write(publishPacket(4, id))
  await until(() => published().length === 3, 'the first ones passed')
  await new Promise(setImmediate)
  assert.deepEqual(published(), [1, 2, 3])
  settle(0)
  await until(() => published().length === 4, 'one more passed for one that was settled')
  congested = false
  settle(1)
  await until(() => published().length === 8, 'all passed')
})

test('what comes between two reads has to wait, too, once too much waits for the disk', async (t) => {
  let isCongested = false
  const { client, opened, published, settle } = startGate(t, { isCongested: () => isCongested })
  await opened()
  client.write(Buffer.concat([1, 2, 3].map((id) => publishPacket(4, id))))
  await quiet()
  isCongested = true
  client.write(publishPacket(4, 4))
  await quiet()
  assert.deepEqual(published(), [1, 2, 3])
  isCongested = false
  settle(0)
  await quiet()
  assert.deepEqual(published(), [1, 2, 3, 4])
})

test('a flooder is slowed to its budget and loses nothing', async (t) => {
  const clock = stopClock(t)
  const { client, published, settle, opened } = startGate(t, { limits: { messagesPerSecond: 20 } })
  await opened()
  const flood = Array.from({ length: 25 }, () =>
    packet({ cmd: 'publish', topic: telemetryOf(ANA), payload: 'x', qos: 0 }, 4),
  )
  client.write(Buffer.concat(flood))
  // The CONNECT was the first of the twenty.
  await until(() => published().length >= 19, 'a second worth passed')
  await quiet()
  assert.equal(published().length, 19)
  for (let n = 0; n < 19; n++) settle(n)
  clock.passes(1000)
  await until(() => published().length === 25, 'the rest passed')
})

test('pings and subscriptions use the same budget, a subscription once per topic', async (t) => {
  const clock = stopClock(t)
  const { client, received, opened } = startGate(t, { limits: { messagesPerSecond: 20 } })
  await opened()
  const subscriptions = Array.from({ length: 15 }, () => ({ topic: '#', qos: 0 }))
  const subscribe = packet({ cmd: 'subscribe', messageId: 1, subscriptions }, 4)
  client.write(Buffer.concat([subscribe, ...Array.from({ length: 10 }, () => PING)]))
  await until(() => received.length >= 5, 'a second worth was answered')
  await quiet()
  assert.ok(received.length < 12)
  clock.passes(1000)
  await until(() => received.length === 12, 'the rest was answered')
})

test('QoS 2 half-open beyond the receive maximum: 0x93', async (t) => {
  const { client, published, received, settle, opened, over } = startGate(t, {
    version: 5,
    limits: { receiveMaximum: 2 },
  })
  await opened()
  client.write(Buffer.concat([1, 2, 3].map((id) => publishPacket(5, id, { qos: 2 }))))
  await until(() => published().length >= 2, 'as many as allowed were taken')
  await quiet()
  settle(0)
  settle(1)
  await over()
  assert.equal(disconnectReason(received), 0x93)
})

test('a PUBREL before its PUBREC is a violation; the publish still settles', async (t) => {
  const { client, received, published, settle, opened, over } = startGate(t, { version: 5 })
  await opened()
  client.write(
    Buffer.concat([publishPacket(5, 1, { qos: 2 }), packet({ cmd: 'pubrel', messageId: 1, reasonCode: 0 }, 5)]),
  )
  await until(() => published().length === 1, 'the publish passed')
  settle(0)
  await over()
  assert.deepEqual(
    received.slice(1).map(({ cmd }) => cmd),
    ['pubrec', 'disconnect'],
  )
})

test('MQTT 5: a refused QoS 2 publish frees its id', async (t) => {
  const { client, received, published, settle, opened } = startGate(t, { version: 5 })
  await opened()
  client.write(publishPacket(5, 1, { qos: 2 }))
  await until(() => published().length === 1, 'the publish passed')
  settle(0, 'refused')
  await until(() => received.length === 2, 'the refusal came')
  assert.deepEqual([received[1]!.cmd, (received[1] as IPubackPacket).reasonCode], ['pubrec', 0x87])
  client.write(publishPacket(5, 1, { qos: 2 }))
  await until(() => published().length === 2, 'the id was used again')
})

for (const { version, qos, cmd, reason } of [
  { version: 5, qos: 1, cmd: 'puback', reason: 0x99 },
  { version: 5, qos: 2, cmd: 'pubrec', reason: 0x99 },
  { version: 4, qos: 1, cmd: 'puback', reason: undefined },
  { version: 4, qos: 2, cmd: 'pubrec', reason: undefined },
] as const) {
  test(`v${version} QoS ${qos}: a dead letter is acknowledged${reason ? ' with 0x99' : ''}`, async (t) => {
    const { client, received, published, settle, opened } = startGate(t, { version })
    await opened()
    client.write(publishPacket(version, 5, { qos }))
    await until(() => published().length === 1, 'the publish passed')
    settle(0, 'dead_lettered')
    await until(() => received.length === 2, 'the acknowledgement came')
    assert.deepEqual([received[1]!.cmd, (received[1] as IPubackPacket).reasonCode], [cmd, reason])
  })
}

test('a publish that is not allowed: MQTT 5 answers 0x87 and stays open, 3.1.1 closes', async (t) => {
  const five = await startGate(t, { version: 5 }).opened()
  five.client.write(publishPacket(5, 3, { topic: deep }))
  await until(() => five.published().length === 1, 'it was asked for')
  five.settle(0, 'refused')
  await until(() => five.received.length === 2, 'the refusal came')
  assert.equal((five.received[1] as IPubackPacket).reasonCode, 0x87)
  assert.equal((five.received[1] as IPubackPacket).properties?.reasonString, 'topic not allowed')
  assert.equal(five.gate.destroyed, false)
  assert.deepEqual(five.refusals, ['publish'])

  const four = await startGate(t, { version: 4 }).opened()
  four.client.write(publishPacket(4, 3, { topic: deep }))
  await until(() => four.published().length === 1, 'it was asked for')
  four.settle(0, 'refused')
  await four.over()
  assert.deepEqual(four.receivedCmds(), ['connack'])
  assert.deepEqual(four.refusals, ['publish'])
})

test('the writes of a tick are coalesced', async (t) => {
  const { gate, client, received, writes, answer, opened } = startGate(t)
  await opened()
  client.write(Buffer.concat([1, 2, 3].map((id) => publishPacket(4, id))))
  await until(() => gate.inFlight === 3, 'the publishes passed')
  const before = writes.length
  for (const messageId of [1, 2, 3]) answer({ cmd: 'puback', messageId })
  await until(() => received.length === 4, 'all were acknowledged')
  assert.equal(writes.length, before + 1)
})

const event = (messageId: number, payload: string | Buffer = 'e') => ({
  cmd: 'publish',
  topic: eventsOf(ANA),
  qos: 1,
  messageId,
  payload,
})

test('a reader more than 256 KB behind is dropped immediately', async (t) => {
  const { gate, client, answer, opened, over } = startGate(t)
  await opened()
  client.removeAllListeners('data')
  client.pause()
  for (let id = 1; id <= 12 && !gate.destroyed; id++) {
    answer(event(id, Buffer.alloc(30_000)))
    await quiet()
  }
  await over()
})

test('a reader that reads nothing for 4 s is dropped, unless nothing waits for it', async (t) => {
  const { now } = stopClock(t)
  const { gate, client, answer, opened, over } = startGate(t)
  await opened()
  gate.check(now() + defaultLimits.stallMs + 1)
  assert.equal(gate.destroyed, false)
  client.removeAllListeners('data')
  client.pause()
  for (let id = 1; id <= 3; id++) answer(event(id, Buffer.alloc(60_000)))
  await quiet()
  gate.check(now() + defaultLimits.stallMs)
  assert.equal(gate.destroyed, false)
  gate.check(now() + defaultLimits.stallMs + 1)
  await over()
})

test('a reader that has taken some of what waits has another 4 s for the rest', async (t) => {
  const clock = stopClock(t)
  const { gate, client, answer, opened, over } = startGate(t)
  await opened()
  client.removeAllListeners('data')
  client.pause()
  // Each fills the client's buffer by itself, so one read makes room for the next one.
  for (let id = 1; id <= 3; id++) {
    answer(event(id, Buffer.alloc(70_000)))
    await quiet()
  }
  for (let second = 1; second <= 7; second++) {
    clock.passes(1000)
    if (second === 3) client.read()
    await quiet()
    gate.check(clock.now())
    assert.equal(gate.destroyed, false, `after ${second} s`)
  }
  clock.passes(1000)
  gate.check(clock.now())
  await over()
})

for (const what of ['events', 'acknowledgements'] as const) {
  test(`a reader that reads nothing for 4 s is dropped, also while more ${what} come for it`, async (t) => {
    const clock = stopClock(t)
    const { gate, client, answer, settle, published, opened, over } = startGate(t)
    await opened()
    client.removeAllListeners('data')
    client.pause()
    // It fills the client's buffer by itself.
    answer(event(1, Buffer.alloc(70_000)))
    await quiet()
    for (let second = 1; second <= 5; second++) {
      clock.passes(1000)
      if (what === 'events') answer(event(1 + second, 'e'))
      else {
        client.write(publishPacket(4, second))
        await until(() => published().length === second, 'the publish was taken')
        settle(second - 1)
      }
      await quiet()
      assert.equal(gate.destroyed, false, `before ${second} s`)
      gate.check(clock.now())
    }
    await over()
  })
}

test("an MQTT 5 client's receive maximum is respected, in order", async (t) => {
  const { client, received, answer, opened } = startGate(t, {
    version: 5,
    connect: { properties: { receiveMaximum: 2 } },
  })
  await opened()
  for (let id = 1; id <= 4; id++) answer(event(id))
  const delivered = () => received.filter(({ cmd }) => cmd === 'publish').map(({ messageId }) => messageId)
  await until(() => delivered().length === 2, 'two were delivered')
  await quiet()
  assert.deepEqual(delivered(), [1, 2])
  client.write(packet({ cmd: 'puback', messageId: 1 }, 5))
  await until(() => delivered().length === 3, 'the third was delivered')
  client.write(Buffer.concat([2, 3].map((messageId) => packet({ cmd: 'puback', messageId }, 5))))
  await until(() => delivered().length === 4, 'the last was delivered')
  assert.deepEqual(delivered(), [1, 2, 3, 4])
})

test('a client that acknowledges nothing is dropped once more than 256 KB wait for it', async (t) => {
  const { gate, answer, opened, over } = startGate(t, { version: 5, connect: { properties: { receiveMaximum: 1 } } })
  await opened()
  for (let id = 1; id <= 12 && !gate.destroyed; id++) {
    answer(event(id, Buffer.alloc(30_000)))
    await quiet()
  }
  await over()
})

test("a message above an MQTT 5 client's maximum packet size is not sent to it", async (t) => {
  const { received, answer, opened } = startGate(t, { version: 5, connect: { properties: { maximumPacketSize: 200 } } })
  await opened()
  answer(event(1, 'x'.repeat(300)))
  answer(event(2))
  await until(() => received.length === 2, 'the second was delivered')
  assert.equal(received[1]!.messageId, 2)
})

test('without a complete CONNECT the connection ends after 10 s', async (t) => {
  const { now } = stopClock(t)
  const { gate, client, over } = startGate(t)
  client.write(connectPacket(4).subarray(0, 8))
  await quiet()
  gate.check(now() + 9999)
  assert.equal(gate.destroyed, false)
  gate.check(now() + 10_000)
  await over()
})

test('a CONNECT that cannot be decided within 10 s is refused as unavailable', async (t) => {
  const { gate, client, received, admitted, over } = startGate(t, { version: 5, admit: () => new Promise(() => {}) })
  client.write(connectPacket(5))
  await until(() => admitted.length === 1, 'the CONNECT was read')
  gate.check(performance.now() + 10_001)
  await over()
  assert.equal((received[0] as IConnackPacket).reasonCode, 0x88)
})

for (const { keepalive, maxMs } of [
  { keepalive: 30, maxMs: 45_000 },
  { keepalive: 0, maxMs: 300_000 },
]) {
  test(`keep-alive ${keepalive}: silence ends the connection after ${maxMs / 1000} s`, async (t) => {
    const { now } = stopClock(t)
    const { gate, received, opened, over } = startGate(t, { version: 5, connect: { keepalive } })
    await opened()
    gate.check(now() + maxMs - 1)
    assert.equal(gate.destroyed, false)
    gate.check(now() + maxMs)
    await over()
    assert.equal(disconnectReason(received), 0x8d)
  })
}

test('a publish that never settles ends the connection, so that the client sends it again', async (t) => {
  const { gate, client, receivedCmds, opened, over } = startGate(t, { limits: { inFlight: 1 } })
  await opened()
  client.write(Buffer.concat([publishPacket(4, 1), publishPacket(4, 2)]))
  await until(() => gate.inFlight === 1, 'the publish passed')
  // The gate was not reading, so its keep-alive does not count.
  gate.check(performance.now() + 50_000)
  assert.equal(gate.destroyed, false)
  gate.check(performance.now() + defaultLimits.settleMs + 1)
  await over()
  assert.deepEqual(receivedCmds(), ['connack'])
})

test('after a pause in reading, a client may be silent for its whole keep-alive again', async (t) => {
  const clock = stopClock(t)
  const { gate, client, published, settle, opened } = startGate(t, { limits: { inFlight: 1 } })
  await opened()
  client.write(Buffer.concat([publishPacket(4, 1), publishPacket(4, 2)]))
  await until(() => published().length === 1, 'the first passed')
  clock.passes(50_000)
  settle(0)
  await until(() => published().length === 2, 'the second passed')
  settle(1)
  await until(() => gate.inFlight === 0, 'both settled')
  await quiet()
  gate.check(clock.now() + 44_999)
  assert.equal(gate.destroyed, false)
  gate.check(clock.now() + 45_000)
  assert.equal(gate.destroyed, true)
})

test('an unexpected PUBREC or PUBCOMP is harmless', async (t) => {
  const { client, received, passed, opened } = startGate(t, { version: 5 })
  await opened()
  client.write(
    Buffer.concat(['pubrec', 'pubcomp', 'puback'].map((cmd) => packet({ cmd, messageId: 4, reasonCode: 0 }, 5))),
  )
  client.write(PING)
  await until(() => received.length === 3, 'the ping was answered')
  assert.deepEqual(
    received.slice(1).map(({ cmd }) => cmd),
    ['pubrel', 'pingresp'],
  )
  assert.equal(passed.length, 1)
})

test('subscriptions that Aedes has not processed yet hold back later packets', async (t) => {
  const { gate, client, opened } = startGate(t)
  await opened()
  gate.removeAllListeners('readable')
  const subscribe = (messageId: number) =>
    packet({ cmd: 'subscribe', messageId, subscriptions: [{ topic: eventsOf(ANA), qos: 1 }] }, 4)
  client.write(Buffer.concat(Array.from({ length: 9000 }, (_, n) => subscribe(n + 1))))
  await quiet()
  assert.ok(gate.readableLength > 0)
  assert.ok(gate.readableLength < 2 * gate.readableHighWaterMark, `${gate.readableLength} bytes`)
})

for (const { maximumPacketSize, words } of [
  { maximumPacketSize: 128, words: ['topic not allowed', 'malformed packet'] },
  { maximumPacketSize: 127, words: [undefined, undefined] },
]) {
  test(`a client that takes packets of ${maximumPacketSize} bytes gets reason strings`, async (t) => {
    const { client, received, published, settle, opened, over } = startGate(t, {
      version: 5,
      connect: { properties: { maximumPacketSize } },
    })
    await opened()
    client.write(publishPacket(5, 1))
    await until(() => published().length === 1, 'the publish was taken')
    settle(0, 'refused')
    await until(() => received.length === 2, 'the refusal came')
    client.write(Buffer.from([0xc0, 1, 0]))
    await over()
    assert.deepEqual(
      received.slice(1).map((one) => (one as IPubackPacket).properties?.reasonString),
      words,
    )
  })
}
