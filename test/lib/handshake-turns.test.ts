import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { Server } from 'node:tls'
import { handshakesInTurns } from '../../src/lib/handshake-turns.ts'
import { LoopTurns } from '../../src/lib/loop-turns.ts'

const HELLO_MS = 1000
/** A record of a handshake with four bytes in it. */
const HELLO = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0])

/** A server whose connections the test hands in, on a clock that moves as long as each handshake takes. */
function startedAt(t: TestContext, handshakeMs = 0) {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const server = new Server()
  // Node's own, which would begin the handshake.
  server.removeAllListeners('connection')
  const begun: Socket[] = []
  server.on('connection', (socket) => {
    begun.push(socket)
    now += handshakeMs
  })
  handshakesInTurns(server, new LoopTurns(), HELLO_MS)
  let port = 1024
  return {
    begun,
    /** A connection, which says `bytes` at once. */
    connected(remoteAddress: string, bytes: Buffer = HELLO): Socket {
      port += 1
      const peer = { address: remoteAddress, port }
      const socket = Object.assign(new PassThrough(), {
        _getpeername: () => peer,
        localAddress: '192.0.2.2',
        remoteAddress,
      }) as unknown as Socket
      server.emit('connection', socket)
      if (bytes.length > 0) socket.write(bytes)
      return socket
    },
    ends: (socket: Socket) => void server.emit('secureConnection', socket),
    later(ms: number) {
      now += ms
    },
  }
}

const closed = (socket: Socket) => new Promise<unknown>((resolve) => void socket.once('close', resolve))

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 10_000 && !condition(); n += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(condition())
}

/** Long enough for everything that is ready to begin. */
async function manyTurns(): Promise<void> {
  for (let n = 0; n < 200; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('a handshake begins once the first record is complete, whose bytes are all there', async (t) => {
  const { connected, begun } = startedAt(t)
  const socket = connected('192.0.2.1', HELLO.subarray(0, 3))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(3, 8))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(8))
  await until(() => begun.length === 1)
  assert.deepEqual(socket.read(), HELLO)
})

test('what is no handshake is not waited for', async (t) => {
  const { connected, begun } = startedAt(t)
  connected('192.0.2.1', Buffer.from('GET'))
  connected('192.0.2.1', Buffer.from([22, 3, 1, 255, 255]))
  await until(() => begun.length === 2)
})

test('handshakes that are ready at the same moment take turns, and addresses do', async (t) => {
  const { connected, begun } = startedAt(t, 2)
  for (let n = 0; n < 60; n += 1) connected('192.0.2.1')
  assert.equal(begun.length, 0)
  await until(() => begun.length > 5)
  for (let n = 0; n < 5; n += 1) {
    const before = begun.length
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(begun.length - before <= 1, `${begun.length - before} in one turn`)
  }
  const before = begun.length
  const other = connected('192.0.2.9')
  await until(() => begun.includes(other))
  assert.ok(begun.indexOf(other) - before <= 2, `after ${begun.indexOf(other) - before}`)
})

test('64 of an address go on at a time; the next begins when one ends in any way', async (t) => {
  const { connected, begun, ends } = startedAt(t)
  const sockets = Array.from({ length: 70 }, () => connected('192.0.2.1'))
  await manyTurns()
  assert.equal(begun.length, 64)
  connected('192.0.2.9')
  await until(() => begun.length === 65)
  ends(sockets[0]!)
  sockets[1]!.destroy()
  await until(() => begun.length === 67)
  // One that waits and leaves makes no room.
  sockets[69]!.destroy()
  // One that is connected and closes has made room before.
  sockets[0]!.destroy()
  await manyTurns()
  assert.equal(begun.length, 67)
  for (const socket of sockets.slice(2, 69)) ends(socket)
  await until(() => begun.length === 70)
})

test('where others wait, a handshake of more than five seconds makes way', async (t) => {
  const { connected, begun, later } = startedAt(t)
  const slow = Array.from({ length: 64 }, () => connected('192.0.2.1'))
  await until(() => begun.length === 64)
  later(4000)
  connected('192.0.2.1')
  await manyTurns()
  assert.equal(begun.length, 64)
  later(2000)
  connected('192.0.2.1')
  await until(() => begun.length === 65)
  assert.deepEqual(
    slow.map(({ destroyed }) => destroyed),
    slow.map((_, n) => n === 0),
  )
})

test('a client that is silent, leaves or breaks off before its handshake is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connected, begun } = startedAt(t)
  const silent = connected('192.0.2.1', Buffer.alloc(0))
  const left = connected('192.0.2.1', HELLO.subarray(0, 3))
  left.end()
  await closed(left)
  const broken = connected('192.0.2.1', HELLO.subarray(0, 3))
  broken.destroy(new Error('reset by the peer'))
  await closed(broken)
  assert.equal(silent.destroyed, false)
  t.mock.timers.tick(HELLO_MS)
  assert.equal(silent.destroyed, true)
  assert.equal(begun.length, 0)
})
