import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { Gone, Paced } from '../../../../../src/adapters/inbound/door/paced.ts'
import { Certificate } from '../../../../../src/adapters/inbound/door/secure.ts'
import { firstByteOf } from '../../../../../src/adapters/inbound/http/listener/client.ts'
import { listenerTimes } from '../../../../../src/adapters/inbound/http/listener/connections.ts'
import { createListener, type HttpListener } from '../../../../../src/adapters/inbound/http/listener/listener.ts'
import type { CallerOf } from '../../../../../src/adapters/inbound/http/listener/request-caller.ts'
import { type LoopCaller, LoopTurns } from '../../../../../src/lib/loop-turns.ts'
import { bothClocks } from '../../../../../src/lib/waited.ts'
import { until } from '../../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../../platform/tls/stand-in.ts'
import { writingRecords } from '../../door/writing-records.ts'

const authority = await newAuthority()
const pair = await ownPair(authority)
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: hut\r\n\r\n`
const numbered = (count: number): string => Array.from({ length: count }, (_, n) => get(`/${n}`)).join('')

/** What is open at the end of a test is ended at once. */
const BRIEF = { ...listenerTimes, closeMs: 0 }

/** Listens until the test ends; the port. */
async function listening(t: TestContext, listener: HttpListener, secure = false): Promise<number> {
  t.after(() => listener.close())
  const at = { host: '127.0.0.1', port: 0 }
  return Number(new URL(await (secure ? listener.listen(at, new Certificate(pair)) : listener.listen(at))).port)
}

/** A connection to a server that takes requests in turns. */
async function started(t: TestContext, handler: RequestListener, secure = false) {
  const port = await listening(t, createListener(handler, { times: BRIEF }), secure)
  return (): Socket => {
    const at = { port, host: '127.0.0.1', allowHalfOpen: true }
    const socket = secure ? connectTls({ ...at, ca: authority.cert }) : connect(at)
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    return socket
  }
}

/** Everything received until the server ends the connection. */
async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const echo: RequestListener = async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  response.end(`<${request.url} ${text.length}>`)
}
const echoed = (text: string): readonly string[] => [...text.matchAll(/<(.*?)>/g)].map(([, what]) => what!)

for (const secure of [false, true]) {
  test(`a thousand pipelined requests are all answered, in order${secure ? ', over TLS' : ''}`, async (t) => {
    const dial = await started(t, echo, secure)
    const socket = dial()
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
    })
    socket.write(numbered(1000))
    await until('a thousand answers', () => echoed(text).length === 1000)
    assert.deepEqual(
      echoed(text),
      Array.from({ length: 1000 }, (_, n) => `/${n} 0`),
    )
  })
}

test('one request of a connection is handled at a time, and few are read ahead', async (t) => {
  const asked: [IncomingMessage, ServerResponse][] = []
  let read = 0
  const listener = createListener((...turn) => void asked.push(turn), { times: BRIEF })
  listener.server.on('request', () => void read++)
  const socket = connect(await listening(t, listener), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.resume().write(numbered(100_000))
  await until('the first request', () => asked.length > 0)
  for (let n = 0; n < 50; n++) await new Promise(setImmediate)
  assert.equal(asked.length, 1)
  assert.ok(read < 250, `${read} requests were read`)
  asked[0]![1].end()
  await until('the second request', () => asked.length > 1)
  assert.equal(asked[1]![0].url, '/1')
})

test('another client’s request does not wait behind the queue of one connection', async (t) => {
  const order: string[] = []
  const dial = await started(t, (request, response) => {
    order.push(request.url!)
    response.end()
  })
  const crowd = dial()
  crowd.resume().write(numbered(20_000))
  await until('ten requests', () => order.length > 10)
  const other = dial()
  other.resume().write(get('/sos'))
  await once(other, 'data')
  assert.ok(order.indexOf('/sos') < 10_000, `after ${order.indexOf('/sos')}`)
})

test('bodies of any size between other requests arrive whole', async (t) => {
  const dial = await started(t, echo)
  const post = (length: number) =>
    `POST /p HTTP/1.1\r\nHost: hut\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
  const socket = dial()
  socket.end([post(300_000), get('/a'), post(5), post(70_000), get('/b')].join(''))
  assert.deepEqual(echoed(await textOf(socket)), ['/p 300000', '/a 0', '/p 5', '/p 70000', '/b 0'])
})

test('a body in single bytes takes many turns, and arrives whole', async (t) => {
  // Each look at the clock is a millisecond later, so that every piece has used its time.
  let now = 0
  t.mock.method(performance, 'now', () => {
    now += 1
    return now
  })
  const BYTES = 20_000
  let [turn, chunks] = [0, 0]
  const perTurn: number[] = []
  const count = () => {
    turn += 1
    if (chunks < BYTES) setImmediate(count)
  }
  setImmediate(count)
  const dial = await started(t, (request, response) => {
    request.on('data', () => {
      chunks += 1
      perTurn[turn] = (perTurn[turn] ?? 0) + 1
    })
    request.on('end', () => response.end(`<${chunks}>`))
  })
  const socket = dial()
  const head = 'POST /p HTTP/1.1\r\nHost: hut\r\nTransfer-Encoding: chunked\r\n\r\n'
  socket.end(`${head}${'1\r\nx\r\n'.repeat(BYTES)}0\r\n\r\n`)
  assert.deepEqual(echoed(await textOf(socket)), [String(BYTES)])
  const most = Math.max(...perTurn.filter((some) => some > 0))
  assert.ok(most < 2000, `${most} chunks in one turn`)
})

for (const ends of [false, true]) {
  test(`a body in single bytes that nobody reads is not kept as objects${ends ? ', though it has ended' : ''}`, async (t) => {
    const requests: IncomingMessage[] = []
    const dial = await started(t, (request) => void requests.push(request))
    const socket = dial()
    const BYTES = 10_000
    const bytes = `POST /p HTTP/1.1\r\nHost: hut\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(BYTES)}0\r\n\r\n`
    if (ends) socket.end(bytes)
    else socket.write(bytes)
    await until('the request', () => requests.length === 1)
    const [request] = requests
    const most: number[] = []
    for (let n = 0; n < 20; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      most.push(request!.readableLength)
    }
    // What one piece may hold beyond what the body reads ahead.
    assert.ok(Math.max(...most) < 512, `${Math.max(...most)} chunks`)
    let read = 0
    for await (const chunk of request!) read += chunk.length
    assert.equal(read, BYTES)
  })
}

test('an unread body does not keep the next request from its turn', async (t) => {
  const dial = await started(t, (request, response) => void response.end(`<${request.url}>`))
  const socket = dial()
  socket.end(`POST /p HTTP/1.1\r\nHost: hut\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}${get('/next')}`)
  assert.deepEqual(echoed(await textOf(socket)), ['/p', '/next'])
})

test('a peer that does not read is not read from', async (t) => {
  let answered = 0
  const dial = await started(t, (_request, response) => {
    answered++
    response.end(Buffer.alloc(64 * 1024))
  })
  const socket = dial()
  socket.pause()
  socket.write(numbered(2000))
  await until('two answers', () => answered > 1)
  let before = 0
  while (before < answered) {
    before = answered
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.ok(answered < 1000, `${answered} answers`)
  socket.resume()
  await until('all answers', () => answered === 2000)
})

const SOS = 'POST /sos HTTP/1.1\r\nHost: hut\r\nContent-Length: 4\r\n\r\nhelp'

test('a request is handled whose client resets the connection right after it', async (t) => {
  const bodies: string[] = []
  const dial = await started(t, async (request, response) => {
    for await (const bytes of request) bodies.push(String(bytes))
    response.end()
  })
  for (let n = 0; n < 10; n += 1) {
    const socket = dial()
    await once(socket, 'connect')
    socket.write(SOS)
    socket.resetAndDestroy()
  }
  await until('all requests', () => bodies.length === 10)
  assert.deepEqual(new Set(bodies), new Set(['help']))
})

/** Turns that begin when the test says so. */
class Busy extends LoopTurns {
  readonly #held: (() => void)[] = []
  override start(_caller: LoopCaller, piece: () => void): void {
    this.#held.push(piece)
  }
  override run(caller: LoopCaller, piece: () => void): void {
    this.start(caller, piece)
  }
  get waiting(): number {
    return this.#held.length
  }
  next(): void {
    this.#held.shift()!()
  }
  async all(): Promise<void> {
    for (let n = 0; n < 20; n += 1) {
      while (this.#held.length > 0) this.next()
      await new Promise(setImmediate)
    }
  }
}

/** A server whose turns begin when the test says so, and a connection to it that breaks when the test says so. */
async function busy(t: TestContext, handler: RequestListener, secure: boolean) {
  const loop = new Busy()
  const listener = createListener(handler, { loop, times: BRIEF })
  let isClosed = false
  listener.server.on('connection', (one) => {
    one.once('close', () => {
      isClosed = true
    })
  })
  const raw = connect(await listening(t, listener, secure), '127.0.0.1')
  const socket = secure ? connectTls({ socket: raw, ca: authority.cert }) : raw
  for (const one of [raw, socket]) one.on('error', () => {})
  t.after(() => raw.destroy())
  const connected = once(socket, secure ? 'secureConnect' : 'connect')
  if (secure) {
    await until('its handshake', () => loop.waiting === 1)
    loop.next()
  }
  await connected
  if (secure) {
    await until('its last message of the handshake', () => loop.waiting === 1)
    loop.next()
  }
  return {
    loop,
    write: (text: string) => void socket.write(text),
    isClosed: () => isClosed,
    /** Resolves once the server's process has heard of it. */
    async breaks() {
      raw.resetAndDestroy()
      for (let n = 0; n < 50; n += 1) await new Promise(setImmediate)
    },
  }
}

test('a request behind a handshake that waits for its turn counts from before it', async (t) => {
  const loop = new Busy()
  const sinces: number[] = []
  const listener = createListener(
    (request, response) => {
      sinces.push(firstByteOf(request).monotonic)
      response.end()
    },
    { loop, times: BRIEF },
  )
  const client = connectTls({ port: await listening(t, listener, true), host: '127.0.0.1', ca: authority.cert })
  t.after(() => client.destroy())
  client.on('error', () => {})
  await until('its handshake', () => loop.waiting === 1)
  loop.next()
  await once(client, 'secureConnect')
  client.write(get('/first'))
  await until('its last message of the handshake', () => loop.waiting === 1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const released = bothClocks().monotonic
  const answered = once(client, 'data')
  await loop.all()
  await answered
  // The control: the next one counts from when it came.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const sent = bothClocks().monotonic
  client.write(get('/second'))
  await until('its bytes', () => loop.waiting > 0)
  await loop.all()
  await until('the second', () => sinces.length === 2)
  assert.ok(sinces[0]! < released - 40, `${released - sinces[0]!} ms`)
  assert.ok(sinces[1]! >= sent)
})

/** A connection whose TLS has used its slice: a request behind key updates waits for a turn. */
async function behindKeyUpdates(t: TestContext, handler: RequestListener) {
  const loop = new Busy()
  const port = await listening(t, createListener(handler, { loop, times: BRIEF }), true)
  const connecting = writingRecords(port)
  for (let n = 0; n < 2; n += 1) {
    await until('a message of its handshake', () => loop.waiting === 1)
    loop.next()
  }
  const { raw, records } = await connecting
  t.after(() => raw.destroy())
  return {
    loop,
    /** The request between 200 key updates and `behind` ones. Resolves when it waits. */
    async sends(request: string, behind = 0) {
      // Each look at the clock is a millisecond later, so that every piece has used its time.
      let now = performance.now()
      const clock = t.mock.method(performance, 'now', () => {
        now += 1
        return now
      })
      const updates = (length: number) => Array.from({ length }, () => records.keyUpdate())
      raw.write(Buffer.concat([...updates(200), records.applicationData(Buffer.from(request)), ...updates(behind)]))
      for (let n = 0; loop.waiting === 0 && n < 1000; n += 1) await new Promise(setImmediate)
      clock.mock.restore()
      assert.equal(loop.waiting, 1)
    },
  }
}

test('a request behind key updates that wait for a turn counts from before it', async (t) => {
  const sinces: number[] = []
  const { loop, sends } = await behindKeyUpdates(t, (request, response) => {
    sinces.push(firstByteOf(request).monotonic)
    response.end()
  })
  for (let n = 1; n <= 2; n += 1) {
    // The second one shows that the first did not keep its time for it.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const sent = bothClocks().monotonic
    await sends(get('/first'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const released = bothClocks().monotonic
    await loop.all()
    await until('the request', () => sinces.length === n)
    assert.ok(sinces[n - 1]! < released - 40, `${released - sinces[n - 1]!} ms`)
    assert.ok(sinces[n - 1]! >= sent, `${sent - sinces[n - 1]!} ms`)
  }
})

for (const [behind, gone] of [
  [0, null],
  [2400, 'fin'],
] as const) {
  test(`a client with ${behind} key updates behind its request counts as ${gone === null ? 'there' : 'gone'}`, async (t) => {
    const looks: (Gone | null)[] = []
    const { loop, sends } = await behindKeyUpdates(t, async ({ socket }, response) => {
      looks.push(await (socket as Duplex as Paced).looks())
      response.end()
    })
    await sends(get('/'), behind)
    await loop.all()
    await until('a look', () => looks.length === 1)
    assert.deepEqual(looks, [gone])
  })
}

for (const secure of [false, true]) {
  const over = secure ? ', over TLS' : ''
  const body: RequestListener = async (request, response) => {
    for await (const bytes of request) handled.push(`${request.url} ${bytes}`)
    if (request.method === 'GET') handled.push(request.url!)
    response.end('answer')
  }
  let handled: string[] = []

  test(`an SOS is handled whose client breaks off while it waits to be parsed${over}`, async (t) => {
    handled = []
    const { loop, write, breaks, isClosed } = await busy(t, body, secure)
    write(SOS)
    await until('its bytes', () => loop.waiting === 1)
    await breaks()
    assert.deepEqual([handled, isClosed()], [[], false], 'it keeps its place while it waits')
    await loop.all()
    assert.deepEqual([handled, isClosed()], [['/sos help'], true])
  })

  test(`an SOS is handled whose client breaks off while it waits to be routed${over}`, async (t) => {
    handled = []
    const { loop, write, breaks, isClosed } = await busy(t, body, secure)
    write(SOS)
    await until('its bytes', () => loop.waiting === 1)
    loop.next()
    await until('the request', () => loop.waiting === 1)
    await breaks()
    await loop.all()
    assert.deepEqual([handled, isClosed()], [['/sos help'], true])
  })

  test(`an SOS is handled whose client breaks off before its body is read${over}`, async (t) => {
    handled = []
    let readBody = () => {}
    const { loop, write, breaks, isClosed } = await busy(
      t,
      (request, response) => {
        readBody = () => void body(request, response)
      },
      secure,
    )
    write(SOS.slice(0, -2))
    await until('its bytes', () => loop.waiting === 1)
    await loop.all()
    write(SOS.slice(-2))
    await until('the rest of its body', () => loop.waiting === 1)
    await breaks()
    await loop.all()
    assert.deepEqual([handled, isClosed()], [[], false])
    readBody()
    await until('the SOS', () => handled.length === 1)
    await loop.all()
    assert.deepEqual([handled, isClosed()], [['/sos help'], true])
  })

  test(`of pipelined requests of a gone client, those that only read are dropped${over}`, async (t) => {
    handled = []
    const { loop, write, breaks, isClosed } = await busy(t, body, secure)
    write([get('/first'), get('/a'), SOS, get('/b'), SOS.replace('help', 'more'), get('/c'), SOS.slice(0, -1)].join(''))
    await until('their bytes', () => loop.waiting === 1)
    await breaks()
    await loop.all()
    assert.deepEqual(handled, ['/sos help', '/sos more'])
    assert.ok(isClosed(), 'what is incomplete stays so')
  })

  test(`a request that is incomplete when its client breaks off is not handled${over}`, async (t) => {
    handled = []
    const { loop, write, breaks, isClosed } = await busy(t, body, secure)
    write(SOS.slice(0, -1))
    await until('its bytes', () => loop.waiting === 1)
    await breaks()
    await loop.all()
    assert.deepEqual([handled, isClosed()], [[], true])
  })
}

test('a break that shows when an answer is written neither keeps the place nor loses what came after', async (t) => {
  const handled: string[] = []
  let isClosed = false
  const client = new Socket().on('error', () => {})
  const handler: RequestListener = async (request, response) => {
    for await (const bytes of request) handled.push(String(bytes))
    // The system knows of the reset by then, and Node does not.
    client.resetAndDestroy()
    response.write('answer ')
    response.end('in two parts')
  }
  const listener = createListener(handler, { times: BRIEF })
  listener.server.once('connection', (socket) => {
    socket.once('close', () => {
      isClosed = true
    })
  })
  client.connect(await listening(t, listener), '127.0.0.1')
  await once(client, 'connect')
  client.write(SOS + SOS.replace('help', 'more'))
  await until('the end of the connection', () => isClosed)
  assert.deepEqual(handled, ['help', 'more'])
})

test('nothing is handled for a client that has disconnected', async (t) => {
  let asked = 0
  const dial = await started(t, (_request, response) => {
    asked++
    setTimeout(() => response.end(), 20)
  })
  const socket = dial()
  socket.write(numbered(200))
  await until('the first request', () => asked > 0)
  socket.destroy()
  const next = dial()
  next.resume().write(get('/next'))
  await once(next, 'data')
  assert.ok(asked < 20, `${asked} requests`)
})

test('another client’s request waits for one of a crowd’s requests, over however many connections they come', async (t) => {
  const clock = t.mock.method(performance, 'now', () => 0)
  const order: string[] = []
  let handledBefore = -1
  const loop = new LoopTurns()
  const callerOf: CallerOf = ({ url, headers }) => {
    if (url === '/sos') handledBefore = order.length
    return { kind: 'other', group: 'the same address', member: headers.authorization ?? '' }
  }
  // Each request takes a slice of the main thread.
  const handler: RequestListener = (request, response) => {
    order.push(request.url!)
    const now = 10 * order.length
    clock.mock.mockImplementation(() => now)
    if (order.length === 10)
      other().resume().write(get('/sos').replace('\r\n\r\n', '\r\nAuthorization: Bearer b\r\n\r\n'))
    response.end()
  }
  const port = await listening(t, createListener(handler, { loop, callerOf, times: BRIEF }))
  const sockets = Array.from({ length: 101 }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) t.after(() => socket.destroy())
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const [last, ...crowd] = sockets
  const other = (): Socket => last!
  for (const socket of crowd) {
    // Each answer is followed by the next request.
    const ask = () => socket.write(get('/crowd'))
    socket.on('data', () => order.includes('/sos') || ask())
    ask()
  }
  await until('the other request', () => order.includes('/sos'))
  assert.ok(order.indexOf('/sos') - handledBefore <= 1, `after ${order.indexOf('/sos') - handledBefore} of the crowd`)
})
