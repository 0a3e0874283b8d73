import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConnect } from '../../../../src/adapters/inbound/broker/wire/connect.ts'
import { headerBytes, remainingLength } from '../../../../src/adapters/inbound/broker/wire/frame.ts'
import fc from '../../../harness/fast-check.ts'
import { connectPacket } from './harness.ts'

const read = (frame: Buffer) => readConnect(frame, headerBytes(remainingLength(frame, 0)))

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !one.includes('\0'))
const will = fc.record({
  topic: text.filter((topic) => topic !== ''),
  payload: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom(0, 1, 2),
  retain: fc.boolean(),
})
const fields = fc.record({
  clientId: text.filter((id) => id !== ''),
  keepalive: fc.nat(65_535),
  username: text,
  password: text.map((one) => Buffer.from(one)),
  will: fc.option(will, { nil: undefined }),
})
const properties = fc.record(
  {
    sessionExpiryInterval: fc.nat(),
    receiveMaximum: fc.integer({ min: 1, max: 65_535 }),
    maximumPacketSize: fc.integer({ min: 1, max: 2 ** 31 }),
    requestProblemInformation: fc.boolean(),
    topicAliasMaximum: fc.nat(10),
  },
  { requiredKeys: [], noNullPrototype: true },
)

test('a CONNECT is parsed as mqtt-packet generates it', () => {
  fc.assert(
    fc.property(fc.constantFrom(3, 4, 5), fields, properties, (version, asked, given) => {
      const options = version === 5 ? given : {}
      const connect = read(
        connectPacket(version, { ...asked, ...(version === 5 ? { properties: given } : {}) } as object),
      )
      assert.deepEqual(connect, {
        version,
        clientId: asked.clientId,
        hasAssignedId: false,
        username: asked.username,
        password: asked.password.toString(),
        keepAlive: asked.keepalive,
        will: asked.will ? { topic: asked.will.topic, payload: asked.will.payload, qos: asked.will.qos } : null,
        askedSessionExpiry: (options.sessionExpiryInterval ?? 0) > 0,
        receiveMaximum: options.receiveMaximum ?? 65_535,
        maximumPacketSize: options.maximumPacketSize ?? Number.POSITIVE_INFINITY,
        wantsProblemInformation: options.requestProblemInformation !== false,
      })
    }),
  )
})

test('a CONNECT with its last byte missing, or one byte too many, is unreadable', () => {
  fc.assert(
    fc.property(fc.constantFrom(3, 4, 5), fields, (version, asked) => {
      const frame = connectPacket(version, asked as object)
      const body = headerBytes(remainingLength(frame, 0))
      for (const bytes of [frame.subarray(0, -1), Buffer.concat([frame, Buffer.alloc(1)])]) {
        const connect = readConnect(bytes, body)
        assert.ok('refused' in connect && connect.refused === 'unreadable')
      }
    }),
  )
})

// MQTT 3.1.1 and 5, 3.1.2.3 to 3.1.2.7; the flags follow the name and the level.
for (const [what, flags] of [
  ['a reserved flag', 0xc3],
  ['a will of QoS 3', 0xde],
  ['a QoS without a will', 0xca],
  ['a retain flag without a will', 0xe2],
] as const) {
  test(`a CONNECT with ${what} is unreadable`, () => {
    const frame = connectPacket(
      4,
      what === 'a will of QoS 3' ? { will: { topic: 'a', payload: Buffer.from('b'), qos: 0, retain: false } } : {},
    )
    assert.ok('clientId' in read(frame))
    frame[9] = flags
    assert.deepEqual(read(frame), { refused: 'unreadable', version: 4 })
  })
}

test('no sequence of bytes makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, isNamed) => {
      const name = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54, 5])
      readConnect(Buffer.concat([Buffer.from([0x10, 0]), ...(isNamed ? [name] : []), bytes]), 2)
    }),
    { numRuns: 2000 },
  )
})
