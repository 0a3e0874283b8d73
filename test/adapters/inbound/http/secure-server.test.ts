import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { Agent, fetch } from 'undici'
import { Certificate } from '../../../../src/adapters/inbound/door/secure.ts'
import { UserStreams } from '../../../../src/adapters/inbound/http/sdk/user-streams.ts'
import { createHttpServer, type HttpNeeds } from '../../../../src/adapters/inbound/http/server.ts'
import { ownTopics } from '../../../../src/core/ingest/topic.ts'
import { until } from '../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../platform/tls/stand-in.ts'
import { ANA, SIGNED, standIn } from './stand-in.ts'

const authorities = [await newAuthority(), await newAuthority()] as const
const [first, second] = [await ownPair(authorities[0]), await ownPair(authorities[1])]
const [firstCa, secondCa] = authorities.map(({ cert }) => cert) as [string, string]

async function startSecure(t: TestContext, overrides: Partial<HttpNeeds> = {}) {
  const http = await createHttpServer({ ...standIn().parts, ...overrides })
  t.after(() => http.close())
  const certificate = new Certificate(first)
  const url = await http.listen({ host: '127.0.0.1', port: 0 }, certificate)
  return { http, certificate, url, port: Number(new URL(url).port) }
}

async function dial(t: TestContext, port: number, ca: string): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  // A server that closes may reset the connection; whoever waits for an answer on it still fails.
  socket.on('error', () => {})
  return socket
}

/** The answer to `lines` on that connection. */
async function said(socket: TLSSocket, ...lines: readonly string[]): Promise<string> {
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [chunk] = await once(socket, 'data')
  return String(chunk)
}

suite('the server over HTTPS', () => {
  test('has the same routes, beside the plain listener', async (t) => {
    const { http, url } = await startSecure(t)
    const plain = await http.listen({ host: '127.0.0.1', port: 0 })
    const dispatcher = new Agent({ connect: { ca: firstCa } })
    t.after(() => dispatcher.close())
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/)
    for (const base of [url, plain]) {
      const answer = await fetch(`${base}/v1/sdk/me`, { headers: SIGNED, dispatcher })
      assert.equal(answer.status, 200)
      assert.equal((await fetch(`${base}/nowhere`, { dispatcher })).status, 404)
    }
  })

  test('drops a reader of a stream that takes nothing', async (t) => {
    const streams = new UserStreams({ checkMs: 10, stallMs: 50, maxUnreadBytes: Number.MAX_SAFE_INTEGER })
    const { port } = await startSecure(t, { streams })
    const slow = await dial(t, port, firstCa)
    const opening = ['GET /v1/sdk/events HTTP/1.1', 'host: x', ...Object.entries(SIGNED).map((pair) => pair.join(': '))]
    assert.match(await said(slow, ...opening), /^HTTP\/1\.1 200 /)
    slow.pause()
    const [topic] = ownTopics(ANA.userId)
    const event = JSON.stringify({ type: 'timer.reminder', note: 'x'.repeat(100_000) })
    for (let n = 0; n < 150; n += 1) streams.publish([topic!], event)
    await until('it is dropped', () => streams.size === 0)
  })

  test('hands WebSocket handshakes for /mqtt to its upgrade listener', async (t) => {
    const { http, port } = await startSecure(t)
    const ask = (path: string) => [`GET ${path} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: websocket']
    assert.match(await said(await dial(t, port, firstCa), ...ask('/mqtt')), /^HTTP\/1\.1 (404|426) /)
    http.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    assert.match(await said(await dial(t, port, firstCa), ...ask('/mqtt?x=1')), /^HTTP\/1\.1 101 /)
    assert.match(await said(await dial(t, port, firstCa), ...ask('/healthz')), /^HTTP\/1\.1 200 /)
  })

  test('replaces its certificate while connections stay open', async (t) => {
    const { certificate, port } = await startSecure(t, { times: { closeMs: 20 } })
    const open = await dial(t, port, firstCa)
    assert.match(await said(open, 'GET /healthz HTTP/1.1'), /^HTTP\/1\.1 200 /)
    certificate.replace(second)
    await dial(t, port, secondCa)
    await assert.rejects(dial(t, port, firstCa), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
    assert.match(await said(open, 'GET /healthz HTTP/1.1'), /^HTTP\/1\.1 200 /)
  })

  test('answers an invalid request with the error body, and an invalid handshake not at all', async (t) => {
    const { port } = await startSecure(t)
    assert.match(await said(await dial(t, port, firstCa), 'nonsense'), /^HTTP\/1\.1 400 .*"code":"E_/s)

    const plain = connectTcp(port, '127.0.0.1')
    t.after(() => plain.destroy())
    plain.on('error', () => {})
    const chunks: Buffer[] = []
    plain.on('data', (chunk) => chunks.push(chunk))
    plain.write('GET /healthz HTTP/1.1\r\nHost: hut\r\n\r\n')
    await once(plain, 'close')
    assert.doesNotMatch(Buffer.concat(chunks).toString('latin1'), /HTTP/)
  })

  test('ends slow senders, also those that send a byte now and then', async (t) => {
    const { port } = await startSecure(t, { times: { headersMs: 600, requestMs: 1200, checkMs: 50 } })
    const head = `POST /v1/sdk/sos HTTP/1.1\r\nHost: hut\r\n${Object.entries(SIGNED)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}`
    const slow = [
      { what: 'nothing', begins: '', leastMs: 600 },
      { what: 'headers', begins: `${head}x: `, leastMs: 600 },
      { what: 'a body', begins: `${head}content-length: 100000\r\n\r\n`, leastMs: 1200 },
    ]
    await Promise.all(
      slow.map(async ({ what, begins, leastMs }) => {
        // Before the server can have begun to count, however late this one reads the clock.
        const began = performance.now()
        const socket = await dial(t, port, firstCa)
        socket.resume()
        socket.write(begins)
        const drip = what === 'nothing' ? undefined : setInterval(() => socket.write('x'), 100)
        await new Promise((resolve) => socket.once('close', resolve))
        clearInterval(drip)
        const lastedMs = performance.now() - began
        assert.ok(lastedMs > leastMs - 100, `${what}: ${Math.round(lastedMs)} ms`)
      }),
    )
  })

  test('ends a handshake that never comes', async (t) => {
    const { port } = await startSecure(t, { times: { handshakeMs: 100 } })
    const silent = connectTcp(port, '127.0.0.1')
    t.after(() => silent.destroy())
    await once(silent.resume(), 'close')
  })

  test('closes while handshakes and requests are in progress', async (t) => {
    const { http, port } = await startSecure(t, { times: { closeMs: 20 } })
    const [silent, slow] = [connectTcp(port, '127.0.0.1'), await dial(t, port, firstCa)]
    // A reset is an end, too: the server may not have read the request yet.
    const gone = (socket: Socket) =>
      new Promise((resolve) =>
        socket
          .on('error', () => {})
          .on('close', resolve)
          .resume(),
      )
    slow.write('POST /v1/sdk/sos HTTP/1.1\r\n')
    await Promise.all([http.close(), gone(silent), gone(slow)])
    await assert.rejects(dial(t, port, firstCa), { code: 'ECONNREFUSED' })
  })

  test('refuses a port that is taken', async (t) => {
    const { port } = await startSecure(t)
    const other = await createHttpServer(standIn().parts)
    t.after(() => other.close())
    await assert.rejects(other.listen({ host: '127.0.0.1', port }, new Certificate(second)), { code: 'EADDRINUSE' })
  })
})
