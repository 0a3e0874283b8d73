import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { until } from '../../../harness/wait.ts'
import { type Answer, ask, JSON_TYPE, SIGNED, standIn, startHttp, TOKEN, talk } from './stand-in.ts'

const HEADERS = Object.entries(SIGNED)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')
const LAST = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'

/** The status lines of all answers. */
const statusesOf = (answers: string): readonly number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code))

/** The error body of a raw answer. */
function errorOf(answer: string): { code: string; requestId: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const { error } = JSON.parse(body)
  assert.match(head, new RegExp(`^x-request-id: ${error.requestId}$`, 'im'))
  return error
}

suite('bytes that are not a request', () => {
  const cases = [
    ['garbage', 'NO HTTP AT ALL\r\n\r\n', 400, 'E_VALIDATION'],
    ['a TLS handshake', Buffer.from('16030100f1010000ed0303', 'hex'), 400, 'E_VALIDATION'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'E_VALIDATION'],
    [
      'two lengths',
      `POST /v1/sdk/sos HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'E_VALIDATION',
    ],
    [
      'a length with chunks',
      `POST /v1/sdk/sos HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      400,
      'E_VALIDATION',
    ],
    ['two hosts', `GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n`, 400, 'E_VALIDATION'],
    ['HTTP/0.9', 'GET /healthz HTTP/0.9\r\n\r\n', 400, 'E_VALIDATION'],
    ['HTTP/0.9 without a version', 'GET /healthz\r\n\r\n', 400, 'E_VALIDATION'],
    [
      'a WebSocket for two hosts',
      'GET /mqtt HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n',
      400,
      'E_VALIDATION',
    ],
    ['headers of 20 KB', `GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'E_HEADERS_TOO_LARGE'],
    ['headers of 5 MB', `GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(5_000_000)}\r\n\r\n`, 431, 'E_HEADERS_TOO_LARGE'],
    ['a path of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'E_HEADERS_TOO_LARGE'],
  ] as const
  for (const [what, bytes, status, code] of cases) {
    test(`${what} → ${status}`, async (t) => {
      const site = await startHttp(t)
      const answer = await talk(t, site.port, bytes)
      assert.deepEqual(statusesOf(answer), [status])
      assert.equal(errorOf(answer).code, code)
      assert.equal((await ask(site, 'GET', '/healthz')).status, 200)
    })
  }

  test('after a complete request they do not prevent its answer', async (t) => {
    const site = await startHttp(t)
    const body = '{"timestamp":"2026-05-01T14:06:40Z"}'
    const request = `POST /v1/sdk/sos HTTP/1.1\r\n${HEADERS}Content-Length: ${body.length}\r\n\r\n${body}`
    const answer = await talk(t, site.port, `${request}and more\r\n\r\n`)
    assert.deepEqual(statusesOf(answer), [201])
  })
})

suite('slow senders', { concurrency: true }, () => {
  const times = { headersMs: 800, requestMs: 1_200, checkMs: 50 }
  // Long enough even for a machine that stalls to answer before the time-out.
  const answered = { headersMs: 4_000, requestMs: 4_000, checkMs: 50 }
  const cases = [
    ['nothing at all', '', [408]],
    ['headers that never end', 'GET /healthz HTTP/1.1\r\nX: ', [408]],
    ['a body that never ends', `POST /v1/sdk/sos HTTP/1.1\r\n${HEADERS}Content-Length: 100\r\n\r\n{`, [408]],
    ['a body without a session', 'POST /v1/sdk/sos HTTP/1.1\r\nContent-Length: 100\r\n\r\n{', [401]],
    ['an end without its body', `POST /v1/sdk/sos/cancel HTTP/1.1\r\n${HEADERS}Content-Length: 100\r\n\r\n{`, [408]],
  ] as const
  for (const [what, bytes, statuses] of cases) {
    test(`${what}: the connection is ended`, async (t) => {
      const site = await startHttp(t, { times: statuses[0] === 408 ? times : answered })
      const answer = await talk(t, site.port, bytes)
      assert.deepEqual(statusesOf(answer), statuses)
      if (statuses[0] === 408) assert.equal(errorOf(answer).code, 'E_TIMEOUT')
    })
  }

  test('by default the time-outs are those of the contract', async (t) => {
    const { listenerTimes } = await import('../../../../src/adapters/inbound/http/listener/connections.ts')
    assert.deepEqual(
      [listenerTimes.headersMs, listenerTimes.requestMs],
      [15_000, 60_000],
      'headers 15 s, whole request 60 s',
    )
    assert.ok(listenerTimes.checkMs <= 2_000)
    t.diagnostic(`keep-alive ${listenerTimes.keepAliveMs} ms`)
  })
})

suite('oversized bodies', () => {
  const big = Buffer.alloc(10_000_000, 0x20)
  const cases = [
    ['10 MB', `POST /v1/sdk/sos HTTP/1.1\r\n${HEADERS}Content-Length: ${big.length}\r\n\r\n`, big, '', 413],
    [
      '10 MB in chunks',
      `POST /v1/sdk/sos HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\n989680\r\n`,
      big,
      '\r\n0\r\n\r\n',
      413,
    ],
    ['10 MB without a session', `POST /v1/sdk/sos HTTP/1.1\r\nContent-Length: ${big.length}\r\n\r\n`, big, '', 401],
    ['10 MB to an unknown path', `POST /nowhere HTTP/1.1\r\nContent-Length: ${big.length}\r\n\r\n`, big, '', 404],
    ['10 MB to a page', `POST /t/${TOKEN}/ack HTTP/1.1\r\nContent-Length: ${big.length}\r\n\r\n`, big, '', 303],
  ] as const
  for (const [what, head, body, tail, status] of cases) {
    test(`${what}: ${status}, and the connection stays open`, async (t) => {
      const site = await startHttp(t)
      const answers = await talk(t, site.port, head, body, tail, LAST)
      assert.deepEqual(statusesOf(answers), [status, 200])
    })
  }

  test('a declared length that is too large is refused immediately', async (t) => {
    const site = await startHttp(t)
    const socket = connect(site.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(`POST /v1/sdk/sos HTTP/1.1\r\n${HEADERS}Content-Length: 99999999999\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    assert.deepEqual(statusesOf(String(answer)), [413])
    // Before the server closes, which would wait three seconds for the rest of the body.
    socket.destroy()
  })
})

suite('hostile JSON', () => {
  const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
  const timestamp = '"timestamp":"2026-05-01T14:06:40Z"'
  const cases = [
    ['500,000 levels', `{${timestamp},"x":${deep('[', ']', 500_000)}}`, 413],
    ['30,000 levels under an unknown key', `{${timestamp},"x":${deep('[', ']', 30_000)}}`, 201],
    ['10,000 nested objects', `{${timestamp},"x":${deep('{"a":', '}', 10_000)}}`, 201],
    ['30,000 levels instead of an object', deep('[', ']', 30_000), 400],
    ['30,000 levels in a field', `{${timestamp},"deviceBattery":${deep('[', ']', 30_000)}}`, 400],
    ['an infinite number', `{${timestamp},"altitude":1e999}`, 400],
    ['a lone surrogate', `{${timestamp},"deviceId":"\\ud800"}`, 400],
    ['constructor and prototype keys', `{${timestamp},"constructor":{"prototype":{"x":1}},"prototype":1}`, 201],
    ['a nested __proto__', `{${timestamp},"deviceBattery":{"__proto__":{"range":"ok"}}}`, 201],
    ['the same key twice, the last one bad', `{${timestamp},"timestamp":7}`, 400],
  ] as const
  for (const [what, body, status] of cases) {
    test(`${what} → ${status}`, async (t) => {
      const site = await startHttp(t)
      const answer = await ask(site, 'POST', '/v1/sdk/sos', { headers: { ...SIGNED, ...JSON_TYPE }, body })
      assert.equal(answer.status, status)
      assert.equal((await ask(site, 'GET', '/healthz')).status, 200)
    })
  }
})

suite('unusual headers', () => {
  const cases = [
    ['an upgrade to h2c', 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n'],
    ['an upgrade to WebSocket elsewhere', 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n'],
    ['an unknown expectation', 'Connection: close\r\nExpect: miracles\r\n'],
    ['no host', 'Connection: close\r\n'],
    ['a foreign host', 'Connection: close\r\nHost: evil.example\r\n'],
  ] as const
  for (const [what, headers] of cases) {
    test(`${what}: still answered`, async (t) => {
      const site = await startHttp(t)
      assert.deepEqual(statusesOf(await talk(t, site.port, `GET /healthz HTTP/1.1\r\n${headers}\r\n`)), [200])
    })
  }

  test('a handshake for /mqtt is not accepted while no broker listens', async (t) => {
    const site = await startHttp(t)
    const answer = await talk(t, site.port, 'GET /mqtt HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    assert.deepEqual(statusesOf(answer), [426])
    assert.equal(errorOf(answer).code, 'E_UPGRADE_REQUIRED')
  })
})

test('long uploads share a bounded memory; an alarm needs none of it', async (t) => {
  const MB = 1024 * 1024
  const site = await startHttp(t, { longBodyBytes: 8 * MB })
  const upload = (bytes: number): string =>
    `POST /telemetry/history HTTP/1.1\r\n${HEADERS}Content-Length: ${bytes}\r\n\r\n[`
  // More than half of a user's share, and never complete.
  let slow = connect(site.port, '127.0.0.1')
  const begin = (): void => {
    slow = connect(site.port, '127.0.0.1').on('error', () => undefined)
    slow.write(upload(600 * 1024))
    // Refused, because another upload had the room: once more.
    slow.once('data', () => slow.destroy() && begin())
  }
  begin()
  t.after(() => slow.destroy())
  const append = (rows: number): Promise<Answer> =>
    ask(site, 'POST', '/telemetry/history', {
      headers: { ...SIGNED, ...JSON_TYPE },
      body: JSON.stringify(Array.from({ length: rows }, () => ({ note: 'x'.repeat(500) }))),
    })
  const long = 1000
  await until('the slow upload has its room', async () => (await append(long)).status === 503)
  const refused = await append(long)
  assert.equal(refused.json.error.code, 'E_SDK_TELEMETRY_UNAVAILABLE')
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.deepEqual(site.lines, [], 'refused uploads must not fill the log')
  assert.equal((await append(10)).status, 200, 'short ones go on')
  const press = { headers: { ...SIGNED, ...JSON_TYPE }, body: '{"timestamp":"2026-05-01T14:06:40Z"}' }
  assert.equal((await ask(site, 'POST', '/v1/sdk/sos', press)).status, 201)
  slow.destroy()
  await until('the room is free again', async () => (await append(long)).status === 200)
})

test('a client that goes while it is identified leaves its room to others', async (t) => {
  const { parts } = standIn()
  const identified = Promise.withResolvers<void>()
  let isAsked = false
  const site = await startHttp(t, {
    longBodyBytes: 1024 * 1024,
    async identify(credentials) {
      isAsked = true
      await identified.promise
      return parts.identify(credentials)
    },
  })
  const gone = connect(site.port, '127.0.0.1').on('error', () => undefined)
  gone.write(`POST /telemetry/history HTTP/1.1\r\n${HEADERS}Content-Length: ${1024 * 1024}\r\n\r\n[`)
  await until('its credentials', () => isAsked)
  gone.resetAndDestroy()
  // The server's process hears of it in the meantime.
  for (let n = 0; n < 50; n += 1) await new Promise(setImmediate)
  identified.resolve()
  await new Promise(setImmediate)
  const body = JSON.stringify(Array.from({ length: 1000 }, () => ({ note: 'x'.repeat(500) })))
  const { status } = await ask(site, 'POST', '/telemetry/history', { headers: { ...SIGNED, ...JSON_TYPE }, body })
  assert.equal(status, 200)
})
