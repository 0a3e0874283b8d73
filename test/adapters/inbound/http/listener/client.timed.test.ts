import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Worker } from 'node:worker_threads'
import type { Paced } from '../../../../../src/adapters/inbound/door/paced.ts'
import { Certificate } from '../../../../../src/adapters/inbound/door/secure.ts'
import { firstByteOf, withdrawalOf } from '../../../../../src/adapters/inbound/http/listener/client.ts'
import { listenerTimes } from '../../../../../src/adapters/inbound/http/listener/connections.ts'
import { createListener } from '../../../../../src/adapters/inbound/http/listener/listener.ts'
import { LoopWatch } from '../../../../../src/lib/loop-watch.ts'
import { bothClocks, waitedSince } from '../../../../../src/lib/waited.ts'
import { headerOf } from '../../../../harness/balancer.ts'
import { until } from '../../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../../platform/tls/stand-in.ts'

const authority = await newAuthority()
const pair = await ownPair(authority)
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: hut\r\n\r\n`
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: hut\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const inChunks = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: hut\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`

/** Longer than a stall that counts. */
const STALL_MS = 400
/** In which the loop is seen to turn. */
const BEATS_MS = 300

/** The thread stands still until `cell` is set, as if the process were frozen. */
function stall(cell = new Int32Array(new SharedArrayBuffer(4)).fill(1)): void {
  const began = performance.now()
  Atomics.wait(cell, 0, 0)
  Atomics.wait(cell, 0, 1, Math.max(0, STALL_MS - (performance.now() - began)))
}

type Asked = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Milliseconds from its first byte until it was handled. */
  readonly age: number
}

/** A server that answers when the test says so, or at once if it `answers`. */
async function started(t: TestContext, { secure = false, answers = true, isBalanced = false, isWatched = true } = {}) {
  const watch = new LoopWatch()
  t.after(() => watch.stop())
  const asked: Asked[] = []
  const listener = createListener(
    async (request, response) => {
      asked.push({ request, response, age: waitedSince(firstByteOf(request)) })
      if (!answers) return
      for await (const _ of request);
      response.end('answer')
    },
    {
      times: { ...listenerTimes, closeMs: 0 },
      ...(isWatched && { watch }),
      ...(isBalanced && { balancers: { includes: () => true, refused: assert.fail } }),
    },
  )
  const accepted: Paced[] = []
  listener.server.on('connection', (connection) => void accepted.push(connection as Duplex as Paced))
  t.after(() => listener.close())
  const at = { host: '127.0.0.1', port: 0 }
  const url = await (secure ? listener.listen(at, new Certificate(pair)) : listener.listen(at))
  const port = Number(new URL(url).port)
  return {
    asked,
    bytesRead: () => accepted[0]!.bytesRead,
    port,
    /** `raw`: below TLS. */
    async dials() {
      const raw = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      const socket: Socket = secure ? connectTls({ socket: raw, ca: authority.cert }) : raw
      for (const one of [raw, socket]) one.on('error', () => {})
      t.after(() => raw.destroy())
      await once(socket, secure ? 'secureConnect' : 'connect')
      let answers = 0
      socket.on('data', (bytes) => {
        answers += String(bytes).split('HTTP/1.1 200').length - 1
      })
      return { raw, socket, isAnswered: (count: number) => until('the answer', () => answers === count) }
    },
  }
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const turns = async (count = 10): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise(setImmediate)
}

for (const secure of [false, true]) {
  const over = secure ? ', over TLS' : ''
  // More than is read ahead, 64 KiB without TLS and 16 with it. What remains fits into the window of the server's
  // system, which therefore has all of it at once: what the client's system keeps has not come.
  const heldBack = 'x'.repeat(secure ? 70_000 : 100_000)

  test(`a request is as old as its first byte, and the next one of its connection as its own${over}`, async (t) => {
    const { asked, dials, bytesRead } = await started(t, { secure, isWatched: false })
    const { socket, isAnswered } = await dials()
    for (const text of [post('/a', 'x'.repeat(3000)), inChunks('/b'), get('/c'), post('/d', '{}')]) {
      const before = asked.length
      await turns()
      const [sent, earlier] = [bothClocks(), bytesRead()]
      socket.write(text.slice(0, 1))
      await until('its first byte', () => bytesRead() > earlier)
      const read = bothClocks()
      await later(50)
      socket.write(text.slice(1, 20))
      await turns()
      socket.write(text.slice(20))
      await until('the request', () => asked.length > before)
      const since = firstByteOf(asked.at(-1)!.request).monotonic
      assert.ok(sent.monotonic <= since && since <= read.monotonic, `${text}: ${since - sent.monotonic} ms`)
      await isAnswered(asked.length)
    }
  })

  test(`a request sent on an answer counts from then, however long that answer took${over}`, async (t) => {
    const { asked, dials } = await started(t, { secure, answers: false })
    const { socket } = await dials()
    let written = bothClocks()
    const texts = [get('/a'), post('/b', ''), post('/c', 'x'.repeat(3000)), inChunks('/d')].flatMap((text) => [
      text,
      text,
    ])
    for (const [n, text] of texts.entries()) {
      written = bothClocks()
      socket.write(text)
      await until('the request', () => asked.length === n + 1)
      const { request, response } = asked[n]!
      const since = firstByteOf(request).monotonic
      if (n > 0)
        assert.ok(since >= written.monotonic, `${request.url}: ${written.monotonic - since} ms before it was sent`)
      await later(20)
      if (n % 2 === 0) for await (const _ of request);
      const answered = once(socket, 'data')
      response.end('answer')
      await answered
    }
  })

  test(`what was sent behind a request counts from when it came${over}`, async (t) => {
    const { asked, dials } = await started(t, { secure, answers: false })
    const { socket } = await dials()
    socket.write(get('/a') + get('/b') + inChunks('/c') + post('/d', 'x'.repeat(200)))
    await until('the first', () => asked.length === 1)
    // The last one is held back.
    socket.write(post('/e', heldBack) + get('/f'))
    for (let n = 1; n <= 5; n += 1) {
      await later(40)
      const { request, response } = asked.at(-1)!
      request.resume()
      response.end()
      await until('the next', () => asked.length === n + 1)
      assert.ok(asked.at(-1)!.age >= 40 * n, `${asked.at(-1)!.request.url}: ${asked.at(-1)!.age} ms`)
    }
  })

  test(`what was sent behind a body that nobody reads counts from before it${over}`, async (t) => {
    const { asked, dials, bytesRead } = await started(t, { secure, answers: false })
    const { socket } = await dials()
    // Nothing is left of what came with the connection.
    await turns()
    // As `heldBack`; the body's own stream holds some of it, too.
    const unread = 'x'.repeat(secure ? 70_000 : 170_000)
    await new Promise<void>((sent) => socket.write(post('/a', unread) + get('/b'), () => sent()))
    await until('the first', () => asked.length === 1)
    await turns()
    assert.ok(bytesRead() < unread.length, `${bytesRead()} bytes are read`)
    await later(60)
    const { request, response } = asked[0]!
    for await (const _ of request);
    response.end()
    await until('the next', () => asked.length === 2)
    assert.ok(asked[1]!.age >= 60, `${asked[1]!.age} ms`)
  })

  test(`what comes while the loop stands still counts from before it${over}`, async (t) => {
    const { asked, dials } = await started(t, { secure })
    const { socket, isAnswered } = await dials()
    socket.write(get('/before'))
    await isAnswered(1)
    const answered = bothClocks()
    await later(BEATS_MS)
    socket.write(get('/meanwhile'))
    stall()
    await until('the request', () => asked.length === 2)
    assert.ok(asked[1]!.age >= STALL_MS && asked[1]!.age < waitedSince(answered), `${asked[1]!.age} ms`)
    const over = bothClocks()
    await later(BEATS_MS)
    socket.write(get('/afterwards'))
    await until('the next', () => asked.length === 3)
    assert.ok(asked[2]!.age < waitedSince(over), `${asked[2]!.age} ms`)
  })

  for (const ends of ['reset', 'fin'] as const) {
    test(`a client that has gone is known to have, its request is handled all the same: ${ends}${over}`, async (t) => {
      const { asked, dials } = await started(t, { secure, answers: false })
      const [{ raw, socket }, stays] = [await dials(), await dials()]
      // Nobody has read the second one yet, nor what is behind it.
      for (const one of [socket, stays.socket]) one.write(post('/press', 'help') + get('/a') + get('/b'))
      await until('both', () => asked.length === 2)
      const early = await Promise.all(asked.map(({ request }) => withdrawalOf(request.resume())))
      assert.deepEqual(
        early.flatMap((each) => [...each]),
        [0, 0],
      )
      const goneFrom = raw.localPort
      if (ends === 'reset') raw.resetAndDestroy()
      else socket.end()
      await turns(5)
      for (const [n, { request }] of asked.entries()) {
        const late = await withdrawalOf(request)
        const isGone = request.socket.remotePort === goneFrom ? 1 : 0
        assert.deepEqual([late[0], early[n]![0]], [isGone, isGone])
      }
    })
  }
}

test('what waits to be accepted while the loop stands still counts from before it', async (t) => {
  const COUNT = 40
  const { asked, port } = await started(t)
  const [go, cell] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))]
  const crowd = new Worker(
    `const { connect } = require('node:net')
    const { parentPort, workerData: { port, count, go, cell, text } } = require('node:worker_threads')
    parentPort.once('message', () => process.exit()).postMessage('ready')
    Atomics.wait(go, 0, 0)
    let left = count
    for (let n = 0; n < count; n += 1) {
      const socket = connect(port, '127.0.0.1', () => socket.write(text, () => {
        left -= 1
        if (left === 0) { Atomics.store(cell, 0, 1); Atomics.notify(cell, 0) }
      }))
      socket.resume().on('error', () => {})
    }`,
    { eval: true, workerData: { port, count: COUNT, go, cell, text: get('/') } },
  )
  t.after(() => crowd.terminate())
  await once(crowd, 'message')
  await later(BEATS_MS)
  Atomics.store(go, 0, 1)
  Atomics.notify(go, 0)
  stall(cell)
  await until('all requests', () => asked.length === COUNT)
  const youngest = Math.min(...asked.map(({ age }) => age))
  assert.ok(youngest >= STALL_MS, `${youngest} ms`)
})

test('what waits behind the header of a balancer counts from when its connection came', async (t) => {
  const { asked, dials } = await started(t, { isBalanced: true })
  const { socket } = await dials()
  const header = headerOf('203.0.113.7', 50_000)
  socket.write(header.subarray(0, 20))
  await later(100)
  socket.write(Buffer.concat([header.subarray(20), Buffer.from(get('/'))]))
  await until('the request', () => asked.length === 1)
  assert.ok(asked[0]!.age >= 99, `${asked[0]!.age} ms`)
  const answered = bothClocks()
  await later(BEATS_MS)
  socket.write(get('/'))
  await until('the next', () => asked.length === 2)
  assert.ok(asked[1]!.age < waitedSince(answered), `${asked[1]!.age} ms`)
})
