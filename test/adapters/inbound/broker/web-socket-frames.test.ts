import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import * as ws from 'ws'
import { WebSocketFrames } from '../../../../src/adapters/inbound/broker/wire/web-socket-frames.ts'

const MAX = 70_000
// Exported, but not in its types.
const { Receiver } = ws as any

type Frame = { readonly first: number; readonly payload: Buffer; readonly mask?: Buffer }

/** As a client sends it. */
function sent({ first, payload, mask = Buffer.from([1, 2, 3, 4]) }: Frame): Buffer {
  const length = payload.length
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at % 4]!)])
}

/** What ws makes of these bytes: the messages one after another, and the code with which it refuses them. */
async function received(bytes: Buffer, sizes: readonly number[]) {
  const receiver = new Receiver({
    isServer: true,
    maxPayload: MAX,
    maxBufferedChunks: 256,
    allowSynchronousEvents: true,
  })
  const frames = new WebSocketFrames(MAX)
  const messages: Buffer[] = []
  const pings: string[] = []
  let code: unknown = null
  receiver.on('message', (message: Buffer) => messages.push(Buffer.from(message)))
  receiver.on('ping', (payload: Buffer) => pings.push(String(payload)))
  receiver.on('error', (error: Error) => {
    code = Object.values(
      Object.fromEntries(Object.getOwnPropertySymbols(error).map((s) => [String(s), (error as any)[s]])),
    )[0]
  })
  for (let at = 0, n = 0; at < bytes.length && code === null; n += 1) {
    const size = sizes[n % sizes.length]!
    const piece = frames.rewrite(bytes.subarray(at, at + size))
    at += size
    if (piece.length > 0 && !receiver.write(piece)) await once(receiver, 'drain').catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { bytes: Buffer.concat(messages), most: Math.max(0, ...messages.map((one) => one.length)), pings, code }
}

suite('the frames of a WebSocket, rewritten', () => {
  test('carry the same bytes, however they are framed and cut', async () => {
    const frame = fc.record({
      payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      mask: fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      ping: fc.boolean(),
      fin: fc.boolean(),
    })
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 6 }), sizes, async (given, cut) => {
        let isOpen = false
        const all = given.flatMap(({ payload, mask, ping, fin }) => {
          const first = (fin ? 0x80 : 0) | (isOpen ? 0 : 2)
          isOpen = !fin
          return [
            sent({ first, payload, mask }),
            ...(ping ? [sent({ first: 0x89, payload: Buffer.from('hello') })] : []),
          ]
        })
        const got = await received(Buffer.concat(all), cut)
        assert.deepEqual(got.bytes, Buffer.concat(given.map(({ payload }) => payload)))
        assert.deepEqual([got.pings.length, got.code], [given.filter(({ ping }) => ping).length, null])
      }),
      { numRuns: 60 },
    )
  })

  test('are passed on before they are complete: of a long one nothing is kept', async () => {
    const long = sent({ first: 0x82, payload: Buffer.alloc(66_000, 7) })
    const got = await received(long.subarray(0, 50_000), [1000])
    assert.deepEqual([got.bytes.length, got.most <= 1000], [50_000 - 14, true])
  })

  const wrong = [
    ['a continuation of nothing', [sent({ first: 0x80, payload: Buffer.from('x') })], 1002],
    ['a message within another', [0x02, 0x82].map((first) => sent({ first, payload: Buffer.from('x') })), 1002],
    ['a frame that is not masked', [Buffer.from([0x82, 1, 1])], 1002],
    ['a reserved opcode', [sent({ first: 0x83, payload: Buffer.from('x') })], 1002],
    ['a reserved bit', [sent({ first: 0xc2, payload: Buffer.from('x') })], 1002],
    ['a ping in pieces', [sent({ first: 0x09, payload: Buffer.from('x') })], 1002],
    ['a ping of 126 bytes', [sent({ first: 0x89, payload: Buffer.alloc(126) })], 1002],
    ['a frame that is too long', [sent({ first: 0x82, payload: Buffer.alloc(MAX + 1) })], 1009],
    ['fragments that are too long', [0x02, 0x00].map((first) => sent({ first, payload: Buffer.alloc(40_000) })), 1009],
  ] as const
  for (const [what, frames, code] of wrong) {
    test(`${what}: ${code}`, async () => assert.equal((await received(Buffer.concat(frames), [10_000])).code, code))
  }
})
