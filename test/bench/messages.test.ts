import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachPacket } from '../../bench/load/frames.ts'
import { type Message, publishOf } from '../../bench/load/messages.ts'
import { PublishRing } from '../../bench/load/publish-ring.ts'
import { readPayload } from '../../src/core/ingest/payload.ts'

const identity = { clientId: 'c', username: 'u', password: 'p', userId: '7f0c' }

/** The payloads of the next publishes of one connection, as they are on the wire. */
function published(message: Message, connection: number, count: number): readonly Buffer[] {
  const ring = new PublishRing(publishOf(message, identity, connection), connection, 4)
  const payloads: Buffer[] = []
  const take = (bytes: Buffer) =>
    eachPacket(bytes, (first, body) => {
      assert.equal(first, 0x32)
      payloads.push(Buffer.from(body.subarray(2 + body.readUInt16BE(0) + 2)))
    })
  ring.take(count, take)
  return payloads
}

const messages: readonly Message[] = [
  { kind: 'telemetry' },
  { kind: 'alert' },
  ...[100, 1000, 60_000].map((bytes) => ({ kind: 'telemetry', bytes }) as const),
]

for (const message of messages) {
  test(`the service finds nothing wrong with ${JSON.stringify(message)}, and none repeats another`, () => {
    const payloads = published(message, 999, 10)
    const readings = payloads.map((payload) => readPayload(JSON.parse(payload.toString()), Date.now(), message.kind))
    for (const { problems, remarks } of readings) assert.deepEqual([...problems, ...remarks], [])
    assert.equal(new Set(readings.map(({ payload }) => payload.timestamp)).size, 10)
    if (message.kind === 'telemetry' && message.bytes !== undefined) {
      assert.deepEqual(new Set(payloads.map(({ length }) => length)), new Set([message.bytes]))
    }
  })
}
