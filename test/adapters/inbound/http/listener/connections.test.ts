import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Paced } from '../../../../../src/adapters/inbound/door/paced.ts'
import { Certificate } from '../../../../../src/adapters/inbound/door/secure.ts'
import {
  CONNECTIONS_PER_ADDRESS,
  Connections,
  type ListenerTimes,
  listenerTimes,
  yieldPlace,
} from '../../../../../src/adapters/inbound/http/listener/connections.ts'
import { Line } from '../../../../../src/adapters/inbound/http/listener/line.ts'
import {
  createListener,
  type HttpListener,
  type ListenerOptions,
} from '../../../../../src/adapters/inbound/http/listener/listener.ts'
import { type LoopCaller, LoopTurns } from '../../../../../src/lib/loop-turns.ts'
import { Places } from '../../../../../src/lib/places.ts'
import { until } from '../../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../../platform/tls/stand-in.ts'

const authority = await newAuthority()
const pair = await ownPair(authority)
const answer: RequestListener = (_request, response) => void response.end('ok')
const GET = 'GET / HTTP/1.1\r\nHost: hut\r\n\r\n'

/** `from`: another address of the loopback network. */
type Dial = (from?: string) => Promise<Socket>

async function startedOn(
  t: TestContext,
  { options = {}, handler = answer, secure = false }: Started = {},
): Promise<{ readonly listener: HttpListener; readonly dial: Dial; readonly port: number }> {
  let taken = 0
  const places = options.places ?? new Places({ max: 2000, maxPerAddress: CONNECTIONS_PER_ADDRESS })
  const take = places.take.bind(places)
  t.mock.method(places, 'take', (...args: Parameters<typeof take>) => {
    taken += 1
    return take(...args)
  })
  const listener = createListener(handler, { times: { ...listenerTimes, closeMs: 0 }, ...options, places })
  t.after(() => listener.close())
  const at = { host: '127.0.0.1', port: 0 }
  const url = await (secure ? listener.listen(at, new Certificate(pair)) : listener.listen(at))
  const port = Number(new URL(url).port)
  const dial: Dial = async (from = '127.0.0.1') => {
    const before = taken
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await Promise.all([once(socket, 'connect'), until('it is accepted', () => taken > before)])
    return socket
  }
  return { listener, dial, port }
}

type Started = { readonly options?: ListenerOptions; readonly handler?: RequestListener; readonly secure?: boolean }

type Bounds = {
  readonly max?: number
  readonly maxPerAddress?: number
  readonly isProxy?: (address: string) => boolean
  readonly times?: Partial<ListenerTimes>
}

async function bounded(t: TestContext, bounds: Bounds, handler = answer): Promise<Dial> {
  const { max = 1000, maxPerAddress = 1000, isProxy = () => false, times } = bounds
  const options = {
    places: new Places({ max, maxPerAddress }),
    isProxy,
    times: { ...listenerTimes, closeMs: 0, ...times },
  }
  return (await startedOn(t, { options, handler })).dial
}

/** Settles when the socket is reset or ended. */
const ended = (socket: Socket) =>
  new Promise<unknown>((resolve) => (socket.closed ? resolve(null) : void socket.resume().once('close', resolve)))

/** The next response on the connection to `bytes`. */
async function said(socket: Socket, bytes: string): Promise<string> {
  socket.write(bytes)
  return String((await once(socket, 'data'))[0])
}

/** Asserts that a connection still gets answers. */
async function lives(socket: Socket): Promise<void> {
  assert.match(await said(socket, GET), /^HTTP\/1\.1 200/)
}

test('with too many connections from one address, the one that has rested longest is closed, whatever it sent before', async (t) => {
  const dial = await bounded(t, { maxPerAddress: 3 })
  const silent = await dial()
  const [first, second] = [await dial(), await dial()]
  await lives(first)
  await lives(second)
  const next = await dial()
  await ended(silent)
  await lives(first)
  const last = await dial()
  await ended(second)
  for (const one of [first, next, last]) await lives(one)
})

test('a closed connection frees its place', async (t) => {
  const dial = await bounded(t, { maxPerAddress: 2 })
  const [first, second] = [await dial(), await dial()]
  second.destroy()
  // Its end is seen before the answer to a later request.
  await lives(first)
  const third = await dial()
  for (const one of [first, third]) await lives(one)
})

test('when all places are taken, the address with the most of them loses one', async (t) => {
  const dial = await bounded(t, { max: 4 })
  const [mine] = [await dial('127.0.0.2'), await dial(), await dial(), await dial()]
  const crowd = await dial('127.0.0.3')
  for (const one of [mine, crowd]) await lives(one)
})

test('a complete request is not cut off; if no connection rests, a new one is closed', async (t) => {
  let finish: (() => void) | null = null
  const handler: RequestListener = (request, response) => {
    request.resume()
    request.once('end', () => {
      finish = () => void response.end('done')
    })
  }
  const dial = await bounded(t, { maxPerAddress: 1 }, handler)
  const body = 'POST / HTTP/1.1\r\nHost: hut\r\nContent-Length: 2\r\n\r\n{'
  const half = await dial()
  half.write(body)
  const whole = await dial()
  await ended(half)

  whole.write(`${body}}`)
  const complete = await until('the request is complete', () => finish)
  await ended(await dial())
  complete()
  assert.match(String((await once(whole, 'data'))[0]), /done$/)
})

test('a request that waits for its refusal makes room', async (t) => {
  let isRefused = false
  const refuse: RequestListener = (request) => {
    yieldPlace(request)
    isRefused = true
  }
  const dial = await bounded(t, { maxPerAddress: 1 }, refuse)
  const guesses = await dial()
  guesses.write(GET)
  // A request that waits for its turn makes no room: the new connection would be refused.
  await until('it waits for its refusal', () => isRefused)
  await dial()
  await ended(guesses)
})

test('a trusted proxy is not limited as a single address', async (t) => {
  const dial = await bounded(t, { maxPerAddress: 1, isProxy: (address) => address === '127.0.0.1' })
  const all = [await dial(), await dial(), await dial()]
  for (const one of all) await lives(one)
})

test('a peer that reads nothing of its answer is closed, a slow one is not', async (t) => {
  // The clock moves only while the slow one reads: a process that stalls must not make it look stalled.
  let now = 60_000
  t.mock.method(performance, 'now', () => now)
  const pieces: RequestListener = (_request, response) => {
    Readable.from(Array.from({ length: 1000 }, () => Buffer.alloc(16 * 1024))).pipe(response)
  }
  const dial = await bounded(t, { times: { stalledMs: 1000, checkMs: 20 } }, pieces)
  const [slow, stuck] = [await dial(), await dial()]
  let taken = 0
  let rests = 0
  slow.on('data', (bytes: Buffer) => {
    taken += bytes.length
    // Enough to take longer than the limit for the other one; the total number of pieces is up to the kernel.
    if (++rests > 150) return
    slow.pause()
    now += 10
    setTimeout(() => slow.resume(), 10)
  })
  for (const one of [slow, stuck]) one.write(GET)
  stuck.pause()
  await until('the slow one has everything', () => taken > 16_000 * 1024)
  const passing = setInterval(() => {
    now += 1000
  }, 20)
  t.after(() => clearInterval(passing))
  await ended(stuck)
  assert.ok(stuck.bytesRead < 16_000 * 1024, `${stuck.bytesRead} bytes`)
})

class PatientLine extends Line {
  override isLate(): boolean {
    return false
  }
}

test('peers that stop reading at the same moment are ended in steps', async (t) => {
  let now = 0
  let ends = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const connections = new Connections(listenerTimes, () => assert.fail())
  t.after(() => connections.close())
  const place = new Places({ max: 1, maxPerAddress: 1 }).take('192.0.2.1', () => {})!
  // Nothing that is written to one of them leaves, and it costs a millisecond to end it.
  for (let n = 0; n < 20; n += 1) {
    const socket = new Socket()
    t.mock.method(socket, 'destroy', () => {
      now += 1
      ends += 1
      return socket
    })
    const paced = new Paced(socket, { address: '192.0.2.1', port: 1, since: null, below: null })
    paced.cork()
    paced.write('an answer')
    connections.add(new PatientLine(paced, place, { handler: () => assert.fail(), loop: new LoopTurns() }))
  }
  t.mock.timers.tick(listenerTimes.checkMs)
  await new Promise(setImmediate)
  now += listenerTimes.stalledMs
  t.mock.timers.tick(listenerTimes.checkMs)
  assert.equal(ends, 2)
  for (let n = 0; n < 20 && ends < 20; n += 1) await new Promise(setImmediate)
  assert.equal(ends, 20)
})

test('over TLS a connection is counted from before its handshake, and recognised after it', async (t) => {
  const options = { places: new Places({ max: 100, maxPerAddress: 2 }) }
  const { dial, port } = await startedOn(t, { options, secure: true })
  const silent = await dial()
  const asks = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  t.after(() => asks.destroy())
  await lives(asks)
  const shaken = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  t.after(() => shaken.destroy())
  shaken.on('error', () => {})
  await once(shaken, 'secureConnect')
  await ended(silent)
  await lives(asks)
  await dial()
  await ended(shaken)
  await lives(asks)
})

test('the listener bounds connections, and a WebSocket does not count', { timeout: 60_000 }, async (t) => {
  const { listener, dial } = await startedOn(t)
  listener.server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const upgraded = await dial()
  t.after(() => upgraded.destroy())
  const handshake = 'GET /mqtt HTTP/1.1\r\nHost: hut\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  assert.match(await said(upgraded, handshake), /^HTTP\/1\.1 101/)
  const first = await dial()
  for (let n = 0; n < CONNECTIONS_PER_ADDRESS; n++) await dial()
  await ended(first)
  assert.equal(upgraded.destroyed, false)
})

test('a request that waits for its turn does not make room, even if its connection was idle for longest', async (t) => {
  const held: (() => void)[] = []
  class Busy extends LoopTurns {
    override start(_caller: LoopCaller, piece: () => void): void {
      held.push(piece)
    }
    override run(caller: LoopCaller, piece: () => void): void {
      this.start(caller, piece)
    }
  }
  const options = { places: new Places({ max: 100, maxPerAddress: 3 }), loop: new Busy() }
  const { dial } = await startedOn(t, { options })
  const [first, second] = [await dial(), await dial(), await dial()]
  const answered = said(first!, GET)
  await until('the request', () => held.length === 1)
  await dial()
  await ended(second!)
  assert.equal(first!.destroyed, false)
  for (let piece = held.shift(); piece !== undefined; piece = held.shift()) piece()
  assert.match(await answered, /^HTTP\/1\.1 200/)
})

test('over TLS, a request that waits for its turn outlives the end of what its client says', async (t) => {
  const held: (() => void)[] = []
  let isBusy = true
  class Busy extends LoopTurns {
    override run(caller: LoopCaller, piece: () => void): void {
      if (isBusy) held.push(piece)
      else super.run(caller, piece)
    }
  }
  const { listener, port } = await startedOn(t, { options: { loop: new Busy() }, secure: true })
  listener.server.on('connection', (connection) =>
    (connection as Duplex as Paced).whenGone(async () => {
      for (let n = 0; n < 50; n += 1) await new Promise(setImmediate)
      isBusy = false
      for (const piece of held) piece()
    }),
  )
  const asks = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  t.after(() => asks.destroy())
  asks.end(GET)
  let text = ''
  for await (const bytes of asks) text += bytes
  assert.match(text, /^HTTP\/1\.1 200/)
})

test('requests that are late are answered', async (t) => {
  const times = { ...listenerTimes, headersMs: 50, checkMs: 10 }
  const { dial } = await startedOn(t, { options: { times } })
  const answers: Promise<string>[] = []
  for (let n = 0; n < 3; n += 1) answers.push(said(await dial(), 'GET / HTTP/1.1\r\nHo'))
  for (const one of answers) assert.match(await one, /^HTTP\/1\.1 408/)
})

test('a request is handled though its client had reset the connection before it was accepted', async (t) => {
  const asked: string[] = []
  const handler: RequestListener = (request, response) => {
    asked.push(`${request.url} of <${request.socket.remoteAddress}>`)
    response.end()
  }
  const places = new Places({ max: 10, maxPerAddress: 10 })
  // As the system has it then.
  t.mock.method(Socket.prototype, '_getpeername' as never, (() => ({})) as never)
  const { port } = await startedOn(t, { options: { places }, handler })
  for (const path of ['/one', '/two']) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    socket.end(GET.replace('/', path))
  }
  await until('both requests', () => asked.length === 2)
  assert.deepEqual(asked.sort(), ['/one of <>', '/two of <>'])
  await until('their places are free', () => places.taken === 0)
})
