import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Paced } from '../../../../src/adapters/inbound/door/paced.ts'
import { connectPacket, publishPacket, quiet, startBroker, stopClock, until } from './harness.ts'

const BINARY = 2
const CONTINUED = 0
const PING = 9
const LAST = 0x80
const COMPRESSED = 0x40

/** A frame (RFC 6455, 5.2) with a zero mask, which declares `declared` bytes and contains `bytes`. */
function frame(opcode: number, bytes: Buffer, { declared = bytes.length, flags = LAST } = {}): Buffer {
  const head = Buffer.alloc(declared < 126 ? 6 : 14)
  head[0] = flags | opcode
  head[1] = 0x80 | Math.min(declared, 127)
  if (declared >= 126) {
    head[1] = 0x80 | 127
    head.writeBigUInt64BE(BigInt(declared), 2)
  }
  return Buffer.concat([head, bytes])
}

type Site = Awaited<ReturnType<typeof startBroker>>

/** A bare socket after its upgrade. `along`: bytes sent together with the upgrade request. */
async function upgraded({ http, webSocketUrl, ends }: Site, { extensions = '', along = zeros(0) } = {}) {
  const accepted = once(http.server, 'connection') as Promise<[Paced]>
  const socket = connect(Number(new URL(webSocketUrl).port), '127.0.0.1')
  const [served] = await accepted
  ends.push(() => socket.destroy())
  const received: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk: Buffer) => received.push(chunk))
  const request = [
    ...['GET /mqtt HTTP/1.1', 'Host: hut', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...[`Sec-WebSocket-Key: ${'A'.repeat(22)}==`, 'Sec-WebSocket-Protocol: mqtt'],
    ...(extensions === '' ? [] : [`Sec-WebSocket-Extensions: ${extensions}`]),
  ]
  socket.write(Buffer.concat([Buffer.from(`${request.join('\r\n')}\r\n\r\n`), along]))
  await until(() => received.length > 0, 'the upgrade was answered')
  const answer = String(received.shift())
  assert.match(answer, /^HTTP\/1.1 101 /)
  return { socket, served, received, answer, isClosed: () => socket.closed }
}

const zeros = (count: number): Buffer => Buffer.alloc(count)
const shapes: readonly (readonly [string, readonly Buffer[]])[] = [
  ['one message', [frame(BINARY, zeros(5000), { declared: 200_000 })]],
  ['fragments', Array.from({ length: 45 }, (_, n) => frame(n === 0 ? BINARY : CONTINUED, zeros(100), { flags: 0 }))],
  [
    'fragments of a byte, with a ping behind each',
    Array.from({ length: 45 }, (_, n) =>
      Buffer.concat([frame(n === 0 ? BINARY : CONTINUED, zeros(1), { flags: 0 }), frame(PING, zeros(125))]),
    ),
  ],
  [
    'a CONNECT that has no end',
    Array.from({ length: 45 }, (_, n) => frame(BINARY, n === 0 ? Buffer.from([0x10, 0xff, 0x1f]) : zeros(100))),
  ],
]
for (const [what, frames] of shapes) {
  test(`before login a WebSocket may send 4 KiB in all: ${what}`, async (t) => {
    const site = await startBroker(t)
    const { socket, isClosed } = await upgraded(site)
    for (const one of frames) socket.write(one)
    await until(isClosed, 'the connection ended')
  })
}

test('bytes sent together with the upgrade count as well', async (t) => {
  const site = await startBroker(t)
  const along = frame(BINARY, zeros(60_000), { declared: 200_000 })
  const { isClosed } = await upgraded(site, { along })
  await until(isClosed, 'the connection ended')
})

test('a CONNECT of nearly 4 KiB is let in, cut into frames of 128 bytes, and later messages may be large', async (t) => {
  const site = await startBroker(t)
  const { socket, received } = await upgraded(site)
  const filling = connectPacket(5, { properties: { userProperties: { a: 'x'.repeat(3700) } } })
  assert.ok(filling.length > 3700 && filling.length <= 3800)
  for (let at = 0; at < filling.length; at += 128) {
    const flags = at + 128 >= filling.length ? LAST : 0
    socket.write(frame(at === 0 ? BINARY : CONTINUED, filling.subarray(at, at + 128), { flags }))
  }
  const large = publishPacket(5, 1, { payload: 'x'.repeat(60_000) })
  socket.write(frame(BINARY, large))
  await until(() => site.taken.length === 1, 'the publish was taken in')
  assert.equal(site.taken[0]!.payload.length, 60_000)
  await until(() => Buffer.concat(received).length > 4, 'the CONNACK came')
})

test('while the password is being checked, later bytes are not read', async (t) => {
  let decide = () => {}
  const site = await startBroker(t, {
    identify: () =>
      new Promise((resolve) => {
        decide = () => resolve(null)
      }),
  })
  const { socket, served, isClosed } = await upgraded(site)
  const undecided = decide
  socket.write(frame(BINARY, connectPacket(4)))
  await until(() => decide !== undecided, 'the password was looked at')
  socket.write(frame(BINARY, zeros(200_000), { declared: 200_001 }))
  for (let n = 0; n < 20; n++) await quiet()
  // One chunk, and another in the socket's own buffer.
  assert.ok(served.bytesRead < 150_000, `${served.bytesRead} bytes`)
  decide()
  await until(isClosed, 'it was refused')
})

test('nothing is compressed, whatever the client offers', async (t) => {
  const site = await startBroker(t)
  const { socket, answer, isClosed } = await upgraded(site, { extensions: 'permessage-deflate' })
  assert.doesNotMatch(answer, /extensions/i)
  socket.write(frame(BINARY, connectPacket(4), { flags: LAST | COMPRESSED }))
  await until(isClosed, 'the connection ended')
})

test('unread pongs do not pile up', async (t) => {
  const clock = stopClock(t)
  const site = await startBroker(t)
  const { socket, served } = await upgraded(site)
  socket.write(frame(BINARY, connectPacket(4)))
  await until(() => site.broker.connections() === 1, 'it was admitted')
  socket.pause()
  served.cork()
  // Ninety a second are allowed.
  const pings = Buffer.concat(Array.from({ length: 90 }, () => frame(PING, zeros(125))))
  for (let second = 0; second < 7; second++) {
    const readBefore = served.bytesRead
    socket.write(pings)
    await until(() => served.bytesRead === readBefore + pings.length, 'the pings were read')
    await quiet()
    clock.passes(1000)
  }
  assert.ok(served.writableLength > 64 * 1024, `${served.writableLength} bytes wait`)
  assert.ok(served.writableLength <= 65 * 1024, `${served.writableLength} bytes wait`)
  assert.equal(socket.closed, false)
  assert.equal(site.broker.connections(), 1)
})
