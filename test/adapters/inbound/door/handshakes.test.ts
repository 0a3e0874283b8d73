import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { listen } from '../../../../src/adapters/inbound/door/listen.ts'
import { Certificate, handshake } from '../../../../src/adapters/inbound/door/secure.ts'
import { TlsTurns } from '../../../../src/adapters/inbound/door/under-tls.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { newAuthority, ownPair } from '../../platform/tls/stand-in.ts'
import { firstRecord } from './writing-records.ts'

const authority = await newAuthority()
const pair = ownPair(authority)

const HANDSHAKE_MS = 1000
/** A record of a handshake with four bytes in it. */
const HELLO = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0])

/** Handshakes of connections in memory, on a clock that moves as long as each of them takes. */
async function startedAt(t: TestContext, handshakeMs = 0) {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const begun: Socket[] = []
  const turns = new TlsTurns(new LoopTurns())
  const tls = { certificate: new Certificate(await pair), handshakeMs: HANDSHAKE_MS }
  return {
    begun,
    /** A connection, which says `bytes` at once. */
    connected(group: string, bytes: Buffer = HELLO): Socket {
      const socket = new PassThrough() as unknown as Socket
      socket.on('error', () => {})
      handshake(socket, { turns, group, tls }, (secured) => {
        begun.push(socket)
        now += handshakeMs
        t.after(() => secured.destroy())
      })
      if (bytes.length > 0) socket.write(bytes)
      return socket
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

test('a handshake begins once the first record is complete', async (t) => {
  const { connected, begun } = await startedAt(t)
  const socket = connected('192.0.2.1', HELLO.subarray(0, 3))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(3, 8))
  await manyTurns()
  assert.equal(begun.length, 0)
  socket.write(HELLO.subarray(8))
  await until(() => begun.length === 1)
})

test('what is no handshake is not waited for', async (t) => {
  const { connected, begun } = await startedAt(t)
  connected('192.0.2.1', Buffer.from('GET'))
  connected('192.0.2.1', Buffer.from([22, 3, 1, 255, 255]))
  await until(() => begun.length === 2)
})

test('handshakes that are ready at the same moment take turns, and addresses do', async (t) => {
  const { connected, begun } = await startedAt(t, 2)
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

/** Turns that begin when the test says so. */
class Held extends LoopTurns {
  readonly #pieces: (() => void)[] = []
  override start(_caller: unknown, piece: () => void): void {
    this.#pieces.push(piece)
  }
  get waiting(): number {
    return this.#pieces.length
  }
  next(): void {
    this.#pieces.shift()!()
  }
}

/** A listener with TLS that says hello; who has come, by address. */
async function listening(t: TestContext, { handshakeMs = 60_000, loop = new LoopTurns() } = {}) {
  const clients: string[] = []
  const open: Socket[] = []
  const { port, close } = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      loop,
      tls: { certificate: new Certificate(await pair), handshakeMs },
      meet: (_socket, client) => (secured) => {
        open.push(secured)
        secured.write('hello')
        secured.on('data', () => clients.push(client.address))
      },
    },
  )
  t.after(async () => {
    for (const socket of open) socket.destroy()
    await close()
  })
  return { port, clients }
}

test('handshakes that stall keep nobody of their address waiting', async (t) => {
  const { port } = await listening(t)
  const hello = await firstRecord()
  const stalled = Array.from({ length: 70 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  t.after(() => stalled.map((socket) => socket.destroy()))
  for (const socket of stalled) socket.write(hello)
  await Promise.all(stalled.map((socket) => once(socket, 'data')))
  const client = connectTls({ port, host: '127.0.0.1', ca: authority.cert })
  t.after(() => client.destroy())
  const [greeting] = await once(client, 'data')
  assert.equal(String(greeting), 'hello')
})

for (const [what, options, messages] of [
  ['TLS 1.3', {}, 2],
  ['TLS 1.3 with a group that the server has to ask for', { ecdhCurve: 'ffdhe4096:P-256' }, 3],
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }, 2],
] as const) {
  test(`each message of a handshake takes a turn: ${what}`, async (t) => {
    const loop = new Held()
    const { port } = await listening(t, { loop })
    const client = connectTls({ port, host: '127.0.0.1', ca: authority.cert, ...options })
    t.after(() => client.destroy())
    const greeting = once(client, 'data')
    for (let n = 0; n < messages; n += 1) {
      await until(() => loop.waiting === 1)
      loop.next()
    }
    assert.equal(String((await greeting)[0]), 'hello')
    client.write('help')
    await manyTurns()
    assert.equal(loop.waiting, 0, 'what comes after it takes none here')
  })
}

test('of a client that resets the connection before its turn, everything is read', async (t) => {
  const loop = new Held()
  const { port, clients } = await listening(t, { loop })
  const raw = connect(port, '127.0.0.1').on('error', () => {})
  const client = connectTls({ socket: raw, ca: authority.cert }).on('error', () => {})
  await until(() => loop.waiting === 1)
  loop.next()
  await once(client, 'secureConnect')
  client.write('help')
  raw.resetAndDestroy()
  await manyTurns()
  assert.deepEqual([clients, loop.waiting], [[], 1])
  loop.next()
  await until(() => clients.length === 1)
})

test('a handshake that is not over in time is ended, one that was is not', async (t) => {
  const { port } = await listening(t, { handshakeMs: 1500 })
  const client = connectTls({ port, host: '127.0.0.1', ca: authority.cert })
  t.after(() => client.destroy())
  await once(client, 'data')
  const began = performance.now()
  const stalled = connect(port, '127.0.0.1').on('error', () => {})
  stalled.write(await firstRecord())
  await once(stalled, 'data')
  await once(stalled.resume(), 'close')
  assert.ok(performance.now() - began > 1400)
  assert.equal(client.closed, false)
})

test('a client cannot begin a second handshake within its connection', async (t) => {
  const { port, clients } = await listening(t)
  const dial = async (): Promise<TLSSocket> => {
    const client = connectTls({ port, host: '127.0.0.1', ca: authority.cert, maxVersion: 'TLSv1.2' })
    t.after(() => client.destroy())
    await once(client, 'data')
    return client
  }
  const [insists, ordinary] = [await dial(), await dial()]
  const error: unknown = await Promise.race([
    once(insists, 'error').then(([refusal]) => refusal),
    new Promise((resolve) => insists.renegotiate({}, resolve)),
  ])
  assert.equal((error as NodeJS.ErrnoException | null)?.code, 'ERR_SSL_NO_RENEGOTIATION')
  ordinary.write('help')
  await until(() => clients.length === 1)
})

test('a client that is silent, leaves or breaks off before its handshake is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { connected, begun } = await startedAt(t)
  const silent = connected('192.0.2.1', Buffer.alloc(0))
  const left = connected('192.0.2.1', HELLO.subarray(0, 3))
  left.end()
  await closed(left)
  const broken = connected('192.0.2.1', HELLO.subarray(0, 3))
  broken.destroy(new Error('reset by the peer'))
  await closed(broken)
  assert.equal(silent.destroyed, false)
  t.mock.timers.tick(HANDSHAKE_MS)
  assert.equal(silent.destroyed, true)
  assert.equal(begun.length, 0)
})

test('the address of a client is known though it resets the connection with its last bytes', async (t) => {
  const { port, clients } = await listening(t)
  const raw = connect(port, '127.0.0.1').on('error', () => {})
  const client = connectTls({ socket: raw, ca: authority.cert }).on('error', () => {})
  // The server has to read the end of the handshake yet.
  client.once('secureConnect', () => {
    client.write('help')
    raw.resetAndDestroy()
  })
  await until(() => clients.length === 1)
  assert.deepEqual(clients, ['127.0.0.1'])
})

test('a session is resumed, so that a phone’s next handshake is cheap', async (t) => {
  const { port } = await listening(t)
  let session: Buffer | undefined
  for (const isReused of [false, true]) {
    const client = connectTls({ port, host: '127.0.0.1', ca: authority.cert, ...(session && { session }) })
    t.after(() => client.destroy())
    client.on('session', (given) => {
      session = given
    })
    await once(client, 'data')
    assert.equal(client.isSessionReused(), isReused)
  }
})
