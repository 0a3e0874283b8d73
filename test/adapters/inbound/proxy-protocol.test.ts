import assert from 'node:assert/strict'
import { type EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Agent, fetch } from 'undici'
import { WebSocket } from 'ws'
import { createBroker } from '../../../src/adapters/inbound/broker/broker.ts'
import { Certificate } from '../../../src/adapters/inbound/door/secure.ts'
import { clientAddress } from '../../../src/adapters/inbound/http/client-address.ts'
import { createHttpServer } from '../../../src/adapters/inbound/http/server.ts'
import { LOCAL_HEADER } from '../../../src/lib/proxy-header.ts'
import { BALANCER, headerOf, startBalancer } from '../../harness/balancer.ts'
import { until } from '../../harness/wait.ts'
import { newAuthority, ownPair } from '../platform/tls/stand-in.ts'
import { connectPacket, silentLog, silentMeter } from './broker/harness.ts'
import { ANA, standIn } from './http/stand-in.ts'

const authority = await newAuthority()
const pair = await ownPair(authority)
const tls = { ca: authority.cert, host: '127.0.0.1' }
const here = { host: '127.0.0.1', port: 0 }
const portOf = (url: string): number => Number(new URL(url).port)

const A = headerOf('203.0.113.1', 40_001)
const B = headerOf('2001:db8::2', 40_002)
const NOTHING = Buffer.alloc(0)

/**
 * Every kind of listener, with a balancer in front of each: one connection of an address may wait for its login, and
 * one request a minute is allowed.
 */
async function start(t: TestContext) {
  const refused: string[] = []
  const balancers = {
    includes: (address: string) => address === BALANCER,
    refused: (_balancer: string, reason: string) => void refused.push(reason),
  }
  const broker = await createBroker({
    identify: async (_username, password) => (password === 'right' ? ANA : null),
    ingest: () => {},
    log: silentLog,
    meter: silentMeter,
    limits: { pendingPerAddress: 1 },
    balancers,
  })
  const http = await createHttpServer({
    ...standIn().parts,
    balancers,
    requestLimits: { perUser: 0, perAddress: 1 },
  })
  const ends: (() => void)[] = []
  t.after(async () => {
    // First the clients: the broker would give each of them two seconds to read its last packets.
    for (const end of ends) end()
    await broker.close()
    await http.close()
  })
  broker.attachWebSocket(http.server, clientAddress(false))
  const certificate = new Certificate(pair)
  const [webPort, secureWebPort] = [await http.listen(here), await http.listen(here, certificate)].map(portOf)
  const ports = {
    mqtt: portOf((await broker.listen(here)).url),
    mqtts: portOf((await broker.listen(here, certificate)).url),
    ws: webPort!,
    wss: secureWebPort!,
    http: webPort!,
    https: secureWebPort!,
  }
  return {
    refused,
    ports,
    ends,
    /** The port of a balancer in front of that listener, whose connections begin with `header`. */
    behind: (way: keyof typeof ports, header: Buffer) => startBalancer(t, ports[way], () => header),
  }
}

/** A client that has connected and not yet logged in. */
type Ends = (() => void)[]

type Silent = { readonly isClosed: () => boolean; readonly logsIn: () => Promise<void> }

async function next(client: EventEmitter, event: string): Promise<Buffer> {
  const over = new AbortController()
  const closed = once(client, 'close', over).then(() => assert.fail('the connection was closed'))
  try {
    return (await Promise.race([once(client, event, over), closed]))[0]
  } finally {
    over.abort()
    await closed.catch(() => {})
  }
}

const connack = (chunk: Buffer): void => assert.deepEqual([...chunk.subarray(0, 4)], [0x20, 2, 0, 0])

function overSocket(ends: Ends, socket: Socket): Silent {
  socket.on('error', () => {})
  ends.push(() => socket.destroy())
  return {
    isClosed: () => socket.closed,
    async logsIn() {
      socket.write(connectPacket(4))
      connack(await next(socket, 'data'))
    },
  }
}

async function overWebSocket(ends: Ends, url: string): Promise<Silent> {
  const socket = new WebSocket(url, 'mqtt', { ca: authority.cert })
  socket.on('error', () => {})
  ends.push(() => socket.terminate())
  await once(socket, 'open')
  return {
    isClosed: () => socket.readyState === WebSocket.CLOSED,
    async logsIn() {
      socket.send(connectPacket(4))
      connack(await next(socket, 'message'))
    },
  }
}

async function connected(socket: Socket, event = 'connect'): Promise<Socket> {
  await once(socket, event)
  return socket
}

const ways: Readonly<Record<'mqtt' | 'mqtts' | 'ws' | 'wss', (ends: Ends, port: number) => Promise<Silent>>> = {
  mqtt: async (ends, port) => overSocket(ends, await connected(connect(port, '127.0.0.1'))),
  mqtts: async (ends, port) => overSocket(ends, await connected(connectTls({ ...tls, port }), 'secureConnect')),
  ws: (ends, port) => overWebSocket(ends, `ws://127.0.0.1:${port}/mqtt`),
  wss: (ends, port) => overWebSocket(ends, `wss://127.0.0.1:${port}/mqtt`),
}

suite('behind a load balancer', () => {
  for (const way of ['mqtt', 'mqtts', 'ws', 'wss'] as const) {
    test(`each client of ${way} has an address of its own`, async (t) => {
      const { behind, refused, ends } = await start(t)
      const [a, b] = [await behind(way, A), await behind(way, B)]
      const first = await ways[way](ends, a)
      const other = await ways[way](ends, b)
      const second = await ways[way](ends, a)
      // The balancer does not keep their order.
      await until('one of an address replaces the other', () => first.isClosed() || second.isClosed())
      await (first.isClosed() ? second : first).logsIn()
      await other.logsIn()
      assert.deepEqual(refused, [])
    })
  }

  for (const way of ['http', 'https'] as const) {
    test(`each client of ${way} has an address of its own, and is not this machine`, async (t) => {
      const { behind, ports, refused } = await start(t)
      const dispatcher = new Agent({ connect: { ca: authority.cert } })
      t.after(() => dispatcher.destroy())
      const status = async (port: number, path: string) => {
        const answer = await fetch(`${way}://127.0.0.1:${port}${path}`, { dispatcher })
        await answer.text()
        return answer.status
      }
      const [a, b, own] = [await behind(way, A), await behind(way, B), await behind(way, LOCAL_HEADER)]
      assert.equal(await status(a, '/config/device/DE'), 200)
      assert.equal(await status(a, '/config/device/DE'), 429)
      assert.equal(await status(b, '/config/device/DE'), 200)
      assert.equal(await status(a, '/metrics'), 401)
      assert.equal(await status(own, '/metrics'), 200, 'the balancer on this machine asks itself')
      assert.equal(await status(ports[way], '/metrics'), 200)
      assert.deepEqual(refused, [])
    })
  }

  for (const way of ['mqtt', 'mqtts', 'http', 'https'] as const) {
    test(`a connection of the balancer to ${way} without a header is refused`, async (t) => {
      const { behind, refused, ends } = await start(t)
      const port = await behind(way, NOTHING)
      const socket = way.endsWith('s') ? connectTls({ ...tls, port }) : connect(port, '127.0.0.1')
      const client = overSocket(ends, socket)
      if (way === 'mqtt') socket.write(connectPacket(4))
      if (way === 'http') socket.write('GET /healthz HTTP/1.1\r\nHost: hut\r\n\r\n')
      await until('it is closed', client.isClosed)
      assert.equal(socket.bytesRead, 0)
      assert.deepEqual(refused, ['it does not begin with a PROXY header'])
    })
  }

  test('a header from elsewhere is no more than wrong bytes', async (t) => {
    const { ports, refused, ends } = await start(t)
    const mqtt = connect(ports.mqtt, '127.0.0.1')
    const client = overSocket(ends, mqtt)
    mqtt.write(Buffer.concat([A, connectPacket(4)]))
    await until('the broker closes it', client.isClosed)
    assert.equal(mqtt.bytesRead, 0)

    const web = connect(ports.http, '127.0.0.1')
    overSocket(ends, web)
    web.write(Buffer.concat([A, Buffer.from('GET /healthz HTTP/1.1\r\nHost: hut\r\n\r\n')]))
    assert.match(String((await once(web, 'data'))[0]), /^HTTP\/1\.1 400 /)

    const secure = connect(ports.mqtts, '127.0.0.1')
    const shaking = overSocket(ends, secure)
    secure.write(A)
    await until('the handshake fails', shaking.isClosed)
    assert.deepEqual(refused, [])
  })

  test('a stop does not wait for headers', async (t) => {
    let accepted = 0
    const includes = (address: string): boolean => {
      accepted += 1
      return address === BALANCER
    }
    const http = await createHttpServer({
      ...standIn().parts,
      balancers: { includes, refused: () => {} },
      times: { closeMs: 1 },
    })
    const port = portOf(await http.listen(here))
    const ends: Ends = []
    const client = overSocket(ends, connect({ port, host: '127.0.0.1', localAddress: BALANCER }))
    t.after(() => ends[0]?.())
    await until('it is accepted', () => accepted === 1)
    await http.close()
    await until('it is closed', client.isClosed)
  })
})
