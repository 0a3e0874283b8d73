import assert from 'node:assert/strict'
import { test } from 'node:test'
import mqtt, { type IPublishPacket } from 'mqtt-packet'
import { headerBytes, Reason, remainingLength } from '../../../../src/adapters/inbound/broker/wire/frame.ts'
import { type PublishPacket, readPublish } from '../../../../src/adapters/inbound/broker/wire/publish.ts'
import fc from '../../../harness/fast-check.ts'

/** Reads one frame with other bytes before and after it. */
function read(frame: Buffer, version: number): PublishPacket | number {
  const before = 3
  const bytes = Buffer.concat([Buffer.alloc(before, 0xff), frame, Buffer.alloc(2, 0xee)])
  const body = before + headerBytes(remainingLength(bytes, before))
  return readPublish(bytes, { at: before, body, end: before + frame.length }, version)
}

const packet = (changes: Partial<IPublishPacket>): IPublishPacket => ({
  cmd: 'publish',
  topic: 'tel/a/data',
  payload: '{}',
  qos: 1,
  messageId: 7,
  dup: false,
  retain: false,
  ...changes,
})
const generated = (changes: Partial<IPublishPacket>, version: 4 | 5): Buffer =>
  mqtt.generate(packet(changes), { protocolVersion: version })

const publishes = fc.record({
  topic: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((topic) => !/[+#\0]/.test(topic)),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom(0, 1, 2) as fc.Arbitrary<0 | 1 | 2>,
  messageId: fc.integer({ min: 1, max: 65_535 }),
  retain: fc.boolean(),
})
const anyProperties = fc.record(
  {
    payloadFormatIndicator: fc.boolean(),
    messageExpiryInterval: fc.nat(1e6),
    contentType: fc.string({ maxLength: 200 }),
    responseTopic: fc.constant('a/b'),
    userProperties: fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1, maxKeys: 3 }),
  },
  { requiredKeys: [] },
)

test('a publish is read as the client wrote it, with and without properties', () => {
  fc.assert(
    fc.property(publishes, fc.constantFrom(4, 5), anyProperties, (publish, version, properties) => {
      const frame = generated({ ...publish, ...(version === 5 && { properties }) }, version as 4 | 5)
      const { topic, payload, qos, messageId } = publish
      const taken = read(frame, version)
      assert.ok(typeof taken === 'object', `reason ${taken}`)
      assert.deepEqual(
        { ...taken, payload: taken.payload.toString('hex') },
        {
          qos,
          id: qos === 0 ? 0 : messageId,
          topic,
          payload: payload.toString('hex'),
        },
      )
    }),
  )
})

test('no sequence of bytes makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 60 }), fc.constantFrom(4, 5), (bytes, version) => {
      const frame = Buffer.from(bytes)
      frame[0] = 0x30 | (frame[0]! & 0x0f)
      frame[1] = frame.length - 2
      const taken = read(frame, version)
      assert.ok(typeof taken === 'object' || taken >= 0x80)
    }),
    { numRuns: 3_000 },
  )
})

/** An MQTT 5 PUBLISH at QoS 0 with exactly these properties. */
function withProperties(properties: readonly number[], topic: Buffer = Buffer.from('a')): Buffer {
  const rest = Buffer.concat([Buffer.from([0, topic.length]), topic, Buffer.from([properties.length, ...properties])])
  return Buffer.concat([Buffer.from([0x30, rest.length]), rest])
}

test('user properties may repeat, correlation data is binary, and a topic may contain U+FFFD', () => {
  const taken = read(withProperties([0x26, 0, 1, 0x61, 0, 0, 0x26, 0, 1, 0x61, 0, 0, 9, 0, 2, 0xff, 0]), 5)
  assert.ok(typeof taken === 'object')
  const doubtful = read(withProperties([], Buffer.from('a\ufffd')), 5)
  assert.equal(typeof doubtful === 'object' && doubtful.topic, 'a\ufffd')
})

const wrong: readonly [why: string, frame: Buffer, version: 4 | 5, reason: number][] = [
  ['QoS 3', Buffer.from([0x36, 5, 0, 1, 0x61, 0, 1]), 4, Reason.malformed],
  ['no topic length', Buffer.from([0x30, 1, 0]), 4, Reason.malformed],
  ['a topic beyond the end', Buffer.from([0x30, 3, 0, 2, 0x61]), 4, Reason.malformed],
  ['no packet id', Buffer.from([0x32, 3, 0, 1, 0x61]), 4, Reason.malformed],
  ['the packet id 0', Buffer.from([0x32, 5, 0, 1, 0x61, 0, 0]), 4, Reason.protocolError],
  ['an empty topic', Buffer.from([0x32, 4, 0, 0, 0, 1]), 4, Reason.protocolError],
  ['no property length', Buffer.from([0x32, 5, 0, 1, 0x61, 0, 1]), 5, Reason.malformed],
  ['properties beyond the end', Buffer.from([0x32, 7, 0, 1, 0x61, 0, 1, 9, 1]), 5, Reason.malformed],
  ['an unknown property', Buffer.from([0x32, 8, 0, 1, 0x61, 0, 1, 2, 0x7f, 1]), 5, Reason.malformed],
  ['a topic alias', generated({ properties: { topicAlias: 1 } }, 5), 5, Reason.topicAliasInvalid],
  ['a topic alias without a topic', withProperties([0x23, 0, 1], Buffer.alloc(0)), 5, Reason.topicAliasInvalid],
  ['a topic alias twice', withProperties([0x23, 0, 1, 0x23, 0, 1]), 5, Reason.protocolError],
  ['a payload format twice', withProperties([1, 1, 1, 1]), 5, Reason.protocolError],
  ['a message expiry twice', withProperties([2, 0, 0, 0, 1, 2, 0, 0, 0, 1]), 5, Reason.protocolError],
  ['a content type twice', withProperties([3, 0, 0, 3, 0, 0]), 5, Reason.protocolError],
  ['a response topic twice', withProperties([8, 0, 1, 0x61, 8, 0, 1, 0x61]), 5, Reason.protocolError],
  ['correlation data twice', withProperties([9, 0, 0, 9, 0, 0]), 5, Reason.protocolError],
  ['payload format 2', withProperties([1, 2]), 5, Reason.protocolError],
  ['a session expiry', withProperties([0x11, 0, 0, 0, 1]), 5, Reason.malformed],
  ['a content type that is not UTF-8', withProperties([3, 0, 1, 0xff]), 5, Reason.malformed],
  ['a property that ends after the list', withProperties([3, 0, 9, 0x61]), 5, Reason.malformed],
  ['a topic that is not UTF-8', withProperties([], Buffer.from([0x61, 0xff])), 5, Reason.malformed],
  ['a topic with a surrogate', withProperties([], Buffer.from([0xed, 0xa0, 0x80])), 5, Reason.malformed],
  ['a topic with U+0000', generated({ topic: 'a\0b' }, 4), 4, Reason.malformed],
  ['a subscription id', generated({ properties: { subscriptionIdentifier: 1 } }, 5), 5, Reason.protocolError],
]

for (const [why, frame, version, reason] of wrong) {
  test(`refuses ${why}`, () => assert.equal(read(frame, version), reason))
}
