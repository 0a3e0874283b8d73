import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { readBehindBalancer } from '../../../../src/adapters/inbound/door/balancers.ts'
import { listen } from '../../../../src/adapters/inbound/door/listen.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { Places } from '../../../../src/lib/places.ts'
import { LOCAL_HEADER } from '../../../../src/lib/proxy-header.ts'
import { headerOf, proxyHeader } from '../../../harness/balancer.ts'

const BALANCER = '10.0.0.10'
const HEADER_MS = 5000

/** Connections of a balancer, in memory. */
function start({ max = 10 }: { readonly max?: number } = {}) {
  const accepted: { readonly client: { readonly address: string; readonly port: number } | null; text: string }[] = []
  const refused: string[] = []
  const places = new Places({ max, maxPerAddress: 1 })
  const balancers = {
    includes: () => true,
    refused: (balancer: string, reason: string) => void refused.push(`${balancer}: ${reason}`),
  }
  return {
    accepted,
    refused,
    places,
    /** The peer's end of a new connection. */
    connect(): { readonly peer: Duplex; readonly socket: Duplex } {
      const [peer, socket] = duplexPair()
      Object.defineProperty(socket, 'remoteAddress', { value: BALANCER })
      readBehindBalancer(socket as Socket, balancers, places, (client) => {
        const connection = { client, text: '' }
        accepted.push(connection)
        socket.on('data', (chunk) => {
          connection.text += String(chunk)
        })
      })
      // As the door does.
      socket.on('error', () => {})
      return { peer, socket }
    },
  }
}

const quiet = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

const CLIENT = headerOf('203.0.113.7', 50_000, Buffer.from([4, 0, 2, 1, 1]))
const SHOWN = { address: '203.0.113.7', port: 50_000 }
const OWN = null

suite('behind a balancer', () => {
  for (const [what, pieces, expected] of [
    ['in one piece with what follows', [Buffer.concat([CLIENT, Buffer.from('hello')])], SHOWN],
    ['byte by byte', [...Buffer.concat([CLIENT, Buffer.from('hello')])].map((byte) => Buffer.from([byte])), SHOWN],
    ['of its own', [LOCAL_HEADER, Buffer.from('hello')], OWN],
    [
      'with an address that it makes nothing of',
      [proxyHeader({ family: 0x31, rest: Buffer.alloc(216) }), Buffer.from('hello')],
      OWN,
    ],
    ['of a client on its own machine, which is not ours', [headerOf('127.0.0.1', 9), Buffer.from('hello')], OWN],
    ['of such a client as IPv6', [headerOf('::1', 9), Buffer.from('hello')], OWN],
    ['of such a client as both', [headerOf('::ffff:127.0.0.1', 9), Buffer.from('hello')], OWN],
  ] as const) {
    test(`a connection with a header ${what} is its client's`, async () => {
      const { connect, accepted, refused, places } = start()
      const { peer } = connect()
      for (const piece of pieces) {
        peer.write(piece)
        await quiet()
      }
      assert.deepEqual(accepted, [{ client: expected, text: 'hello' }])
      assert.deepEqual(refused, [])
      assert.equal(places.taken, 0, 'its place is taken anew, as that of its client')
    })
  }

  for (const [what, bytes, reason] of [
    ['without a header', Buffer.from('GET / HTTP/1.1\r\nHost: hut\r\n\r\n'), 'it does not begin with a PROXY header'],
    [
      'with version 1',
      Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 1 2\r\n'),
      'its PROXY header is of version 1, not 2',
    ],
    [
      'with one that is too long',
      proxyHeader({ rest: Buffer.alloc(537) }),
      'its PROXY header is longer than 552 bytes',
    ],
    ['that ends within it', CLIENT.subarray(0, 20), 'its PROXY header is incomplete'],
    ['that ends within its beginning', CLIENT.subarray(0, 9), 'it does not begin with a PROXY header'],
  ] as const) {
    test(`a connection ${what} is refused`, async () => {
      const { connect, accepted, refused, places } = start()
      const { peer, socket } = connect()
      peer.end(bytes)
      await quiet()
      assert.ok(socket.destroyed)
      assert.deepEqual(accepted, [])
      assert.deepEqual(refused, [`${BALANCER}: ${reason}`])
      assert.equal(places.taken, 0)
    })
  }

  for (const [what, ends] of [
    ['ends', (peer: Duplex) => peer.end()],
    ['breaks', (_peer: Duplex, socket: Duplex) => socket.destroy(new Error('ECONNRESET'))],
  ] as const) {
    test(`a connection that ${what} before it says anything, as simple checks do, is no reason to warn`, async () => {
      const { connect, accepted, refused, places } = start()
      const { peer, socket } = connect()
      ends(peer, socket)
      await quiet()
      assert.ok(socket.destroyed)
      assert.deepEqual([accepted, refused, places.taken], [[], [], 0])
    })
  }

  test('a header has to be complete in time, however slowly it comes', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { connect, refused, places } = start()
    const { peer, socket } = connect()
    for (const byte of CLIENT.subarray(0, 10)) {
      peer.write(Buffer.from([byte]))
      await quiet()
      assert.ok(!socket.destroyed)
      t.mock.timers.tick(HEADER_MS / 10)
    }
    assert.ok(socket.destroyed)
    assert.deepEqual(refused, [`${BALANCER}: its PROXY header was not complete in time`])
    assert.equal(places.taken, 0)
  })

  test('a client whose header came in time is never timed out for it', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { connect, accepted } = start()
    const { peer, socket } = connect()
    peer.write(CLIENT)
    await quiet()
    t.mock.timers.tick(10 * HEADER_MS)
    assert.equal(accepted.length, 1)
    assert.ok(!socket.destroyed)
  })

  test('those that wait for their header have places like all others, and the first one makes room', async () => {
    const { connect, places, accepted } = start({ max: 3 })
    const waiting = Array.from({ length: 4 }, () => connect())
    await quiet()
    assert.deepEqual(
      waiting.map(({ socket }) => socket.destroyed),
      [true, false, false, false],
    )
    assert.equal(places.taken, 3)
    for (const { peer } of waiting.slice(1)) peer.write(CLIENT)
    await quiet()
    assert.equal(accepted.length, 3)
    assert.equal(places.taken, 0)
  })
})

test('a connection that waits for its header does not hold up the end', { timeout: 4_000 }, async () => {
  const door = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      loop: new LoopTurns(),
      balancers: { includes: () => true, refused: () => {} },
      meet: () => (socket) => void socket.resume(),
    },
  )
  const [early, named] = [0, 1].map(() => connect(door.port, '127.0.0.1'))
  await Promise.all([once(early!, 'connect'), once(named!, 'connect')])
  named!.write(CLIENT)
  // Both are accepted, and one has its client.
  await wait(50)
  const closed = door.close()
  await once(early!.resume(), 'close')
  assert.equal(named!.readyState, 'open', 'a client is served to its end')
  named!.end()
  await closed
})
