import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls, createServer, Server } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { handshakesInTurns } from '../../src/lib/handshake-turns.ts'
import { LoopTurns } from '../../src/lib/loop-turns.ts'
import { newAuthority, ownPair } from '../adapters/platform/tls/stand-in.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

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
  const read = new Set<Socket>()
  const pieces: Buffer[] = []
  server.on('connection', (socket) => {
    begun.push(socket)
    read.add(socket)
    now += handshakeMs
    // As Node's TLS does.
    process.nextTick(() => {
      for (let bytes = socket.read(); bytes !== null; bytes = socket.read()) pieces.push(Buffer.from(bytes))
    })
  })
  handshakesInTurns(server, new LoopTurns(), HELLO_MS)
  let port = 1024
  return {
    begun,
    /** What the handshakes have read. */
    pieces,
    /** A connection, which says `bytes` at once. */
    connected(remoteAddress: string, bytes: Buffer = HELLO): Socket {
      port += 1
      const peer = { address: remoteAddress, port }
      const socket: Socket = Object.assign(new PassThrough(), {
        _getpeername: () => peer,
        localAddress: '192.0.2.2',
        remoteAddress,
        _handle: { readStart: () => read.add(socket), readStop: () => read.delete(socket) },
      }) as unknown as Socket
      server.emit('connection', socket)
      if (bytes.length > 0) socket.write(bytes)
      return socket
    },
    isRead: (socket: Socket) => read.has(socket),
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
  const { connected, begun, pieces } = startedAt(t)
  const socket = connected('192.0.2.1', HELLO.subarray(0, 3))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(3, 8))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(8))
  await until(() => begun.length === 1)
  await manyTurns()
  assert.deepEqual(Buffer.concat(pieces), HELLO)
})

test('a long first record is read in pieces that never fill the first buffer of TLS', async (t) => {
  const { connected, begun, pieces } = startedAt(t)
  const record = Buffer.alloc(1719, 7)
  record.set([22, 3, 1, 1714 >> 8, 1714 & 0xff])
  const socket = connected('192.0.2.1', record)
  await until(() => begun.length === 1)
  await manyTurns()
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [719, 1000],
  )
  assert.deepEqual(Buffer.concat(pieces), record)
  // What follows is left to TLS, which reads below the stream.
  assert.equal(socket.isPaused(), true)
})

test('the first record does not stay with the connection', async (t) => {
  const { connected, begun, ends } = startedAt(t)
  const socket = connected('192.0.2.1', Buffer.alloc(0))
  const record = says(socket)
  await until(() => begun.length === 1)
  await manyTurns()
  ends(socket)
  assert.equal(socket.listenerCount('close'), 0)
  // A reference that was looked at stays until the end of the turn.
  for (let n = 0; n < 5 && record.deref() !== undefined; n += 1) {
    await manyTurns()
    collectGarbage()
  }
  assert.equal(record.deref(), undefined)
  assert.equal(socket.destroyed, false)
})

/** In a function of its own, so that nothing but the connection keeps the bytes. */
function says(socket: Socket): WeakRef<Buffer> {
  const bytes = Buffer.from(HELLO)
  socket.write(bytes)
  return new WeakRef(bytes)
}

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

test('64 handshakes are read at a time, the newest first, and each of the others in its turn', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connected, begun, isRead, ends } = startedAt(t)
  const sockets = Array.from({ length: 200 }, () => connected('192.0.2.1'))
  await until(() => begun.length === 200)
  await manyTurns()
  const read = () => sockets.filter(isRead)
  assert.deepEqual(read(), sockets.slice(136))
  const seen = new Set(read())
  for (let n = 0; n < 3; n += 1) {
    t.mock.timers.tick(5)
    assert.equal(read().length, 64)
    for (const socket of read()) seen.add(socket)
  }
  assert.equal(seen.size, 200)
  for (const socket of read().slice(0, 32)) ends(socket)
  for (const socket of read().slice(32)) socket.destroy()
  await manyTurns()
  // What is complete is left alone, and those that were held are read.
  t.mock.timers.tick(5)
  assert.equal(read().length, 128)
})

test('handshakes that stall keep nobody of their address waiting', async (t) => {
  const authority = await newAuthority()
  const server = createServer(await ownPair(authority), (socket) => socket.on('error', () => {}).end('hello'))
  handshakesInTurns(server, new LoopTurns(), HELLO_MS)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hello = await firstRecord()
  const stalled = Array.from({ length: 70 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  t.after(() => server.close())
  t.after(() => stalled.map((socket) => socket.destroy()))
  for (const socket of stalled) socket.write(hello)
  await Promise.all(stalled.map((socket) => once(socket, 'data')))
  const [greeting] = await once(connectTls({ port, host: '127.0.0.1', ca: authority.cert }), 'data')
  assert.equal(String(greeting), 'hello')
})

/** What a TLS client says first. */
async function firstRecord(): Promise<Buffer> {
  const socket = new PassThrough()
  const client = connectTls({ socket: Duplex.from({ writable: socket, readable: new PassThrough() }) })
  client.on('error', () => {})
  const [bytes] = await once(socket, 'data')
  client.destroy()
  return bytes
}

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

test('the address of a client is known though it resets the connection with its last bytes', async (t) => {
  const authority = await newAuthority()
  const server = createServer(await ownPair(authority))
  handshakesInTurns(server, new LoopTurns(), HELLO_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const raw = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const client = connectTls({ socket: raw, ca: authority.cert }).on('error', () => {})
  // The server has to read the end of the handshake yet.
  client.once('secureConnect', () => {
    client.write('help')
    raw.resetAndDestroy()
  })
  const [secure] = await once(server, 'secureConnection')
  secure.on('error', () => {})
  t.after(() => secure.destroy())
  assert.equal(secure.remoteAddress, '127.0.0.1')
})
