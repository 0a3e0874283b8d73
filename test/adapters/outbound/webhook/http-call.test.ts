import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { retryAfterMs } from '../../../../src/adapters/outbound/http/http-failure.ts'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { issueAuthority, issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { handDeadlines } from '../../../harness/hand-deadlines.ts'
import { until } from '../../../harness/wait.ts'
import { type Answer, reset, silence, standIn, status } from './stand-in.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

function site(t: TestContext) {
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const made = createHttpNotifiers({
    allowPrivateTargets: true,
    clock: { now: () => now },
    log: { info: note, warn: note, error: note },
  })
  t.after(() => made.close())
  const call = (url: string, timeoutMs = 60_000) =>
    made.http.send({
      attemptId: 'i.1',
      incidentId: 'i',
      claimedAt: now,
      timeoutMs,
      channel: 'http',
      contactId: 'c',
      url,
      body: { type: 'sos.opened', place: 'Hütte' },
    })
  return { ...made, call, lines }
}

const failed = (error: string, more: object = {}) => ({ kind: 'failed', error, retryable: true, ...more })

const answers: readonly { what: string; answer: Answer; outcome: object }[] = [
  ...[200, 201, 202, 204, 299].map((code) => ({
    what: `HTTP ${code}`,
    answer: status(code),
    outcome: { kind: 'delivered', provider: 'http', providerRef: null },
  })),
  ...[300, 301, 302, 304, 307, 400, 401, 403, 404, 418, 500, 502, 503, 504].map((code) => ({
    what: `HTTP ${code}`,
    answer: status(code, { location: 'http://127.0.0.1:9/' }),
    outcome: failed(`upstream HTTP ${code}`),
  })),
  { what: 'HTTP 429', answer: status(429), outcome: failed('rate limited (HTTP 429)') },
  {
    what: 'HTTP 429 with a Retry-After of 7 seconds',
    answer: status(429, { 'retry-after': '7' }),
    outcome: failed('rate limited (HTTP 429)', { retryAfterMs: 7_000 }),
  },
  {
    what: 'HTTP 503 with a Retry-After of a day',
    answer: status(503, { 'retry-after': '86400' }),
    outcome: failed('upstream HTTP 503', { retryAfterMs: 300_000 }),
  },
  {
    what: 'HTTP 410, which is final',
    answer: status(410, { 'retry-after': '7' }),
    outcome: failed('upstream HTTP 410', { retryable: false }),
  },
  { what: 'a connection that breaks after the request', answer: reset, outcome: failed('connection reset') },
  {
    what: 'a connection that ends after the request',
    answer: (response) => void response.socket?.end(),
    outcome: failed('connection reset'),
  },
]

for (const { what, answer, outcome } of answers) {
  test(`${what}: ${JSON.stringify(outcome)}`, async (t) => {
    const service = await standIn(t, answer)
    assert.deepEqual(await site(t).call(service.url), outcome)
    assert.equal(service.heard.length, 1)
  })
}

test('a service that never answers times out, and its connection is ended', async (t) => {
  const service = await standIn(t, silence)
  assert.deepEqual(await site(t).call(service.url, 50), failed('connection timeout'))
  await until('the connection is gone', () => service.open() === 0)
})

test('a service that accepts the connection and reads nothing times out', async (t) => {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { call, close } = site(t)
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await call(`http://127.0.0.1:${port}/`, 50), failed('connection timeout'))
  await close()
})

test('an answer that trickles in header by header cannot outlast the deadline', async (t) => {
  const server = createServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('X-More: and more\r\n'), 5)
    socket.on('close', () => clearInterval(timer)).on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await site(t).call(`http://127.0.0.1:${port}/`, 100), failed('connection timeout'))
})

test('an answer that is not HTTP is a failed connection, and the log has the kind of fault', async (t) => {
  const server = createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n\r\n'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { call, lines } = site(t)
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await call(`http://127.0.0.1:${port}/secret-path`), failed('connection failed'))
  assert.match(lines.join(), /"fault":"HTTPParserError"/)
  assert.doesNotMatch(lines.join(), /secret-path/)
})

test('no listener: connection refused', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const { call } = site(t)
  assert.deepEqual(await call(`http://127.0.0.1:${port}/`), failed('connection refused'))
  // The name may have two addresses, and both refuse.
  assert.deepEqual(await call(`http://localhost:${port}/`), failed('connection refused'))
})

test('a name that does not exist: name not found', async (t) => {
  assert.deepEqual(await site(t).call('http://does-not-exist.invalid/'), failed('name not found'))
})

test('a certificate from an unknown authority is not accepted', async (t) => {
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, now) }
  const server = createSecureServer(
    await issueServer(authority, ['127.0.0.1'], now),
    (_, response) => void response.end(),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await site(t).call(`https://127.0.0.1:${port}/`), failed('certificate not accepted'))
})

test('a long answer is only read up to a limit, and still counts as delivered', async (t) => {
  let written = 0
  const service = await standIn(t, (response) => {
    const more = () => {
      written += 64 * 1024
      if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), () => setImmediate(more))
    }
    response.writeHead(200)
    more()
  })
  const outcome = await site(t).call(service.url)
  assert.equal(outcome.kind, 'delivered')
  await until('the connection is gone', () => service.open() === 0)
  assert.ok(written < 64 * 1024 * 1024)
})

test('a body that never ends does not keep a delivered call waiting', async (t) => {
  const service = await standIn(t, (response) => void response.writeHead(200).write('{'))
  const deadlines = handDeadlines(t)
  assert.equal((await site(t).call(service.url)).kind, 'delivered')
  deadlines.pass()
  await until('the connection is gone', () => service.open() === 0)
})

test('successive calls share connections', async (t) => {
  const service = await standIn(t, status(200))
  const { call } = site(t)
  for (let n = 0; n < 10; n++) assert.equal((await call(service.url)).kind, 'delivered')
  // A call does not wait for the rest of the previous answer, so two connections may alternate.
  assert.ok(service.connections() <= 2, String(service.connections()))
})

test('many calls at once do not open more than 64 connections, and all arrive', async (t) => {
  const service = await standIn(t, status(200))
  const { call } = site(t)
  const outcomes = await Promise.all(Array.from({ length: 300 }, () => call(service.url)))
  assert.equal(outcomes.filter(({ kind }) => kind === 'delivered').length, 300)
  assert.ok(service.connections() <= 64, String(service.connections()))
})

test('a hung target does not hold up another', async (t) => {
  const hanging = await standIn(t, silence)
  const healthy = await standIn(t, status(200))
  const { call } = site(t)
  const deadlines = handDeadlines(t)
  const stuck = Array.from({ length: 100 }, () => call(hanging.url))
  assert.equal((await call(healthy.url)).kind, 'delivered')
  deadlines.pass()
  for (const outcome of await Promise.all(stuck)) assert.deepEqual(outcome, failed('connection timeout'))
})

test('the request is JSON in UTF-8, names its sender, and carries the credentials of the URL', async (t) => {
  const service = await standIn(t, status(200))
  await site(t).call(`http://user:p%40ss@127.0.0.1:${service.port}/a/b?c=d`)
  const [request] = service.heard
  assert.equal(request!.path, '/a/b?c=d')
  assert.equal(request!.headers['content-type'], 'application/json')
  assert.equal(request!.headers['user-agent'], 'tocsin')
  assert.equal(request!.headers.authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  assert.deepEqual(JSON.parse(request!.text), { type: 'sos.opened', place: 'Hütte' })
})

test('an unusable URL is a failure, not a fault', async (t) => {
  for (const url of ['', 'not an address', 'ftp://example.org/', 'http://', 'http://%zz/', 'http://a:%@127.0.0.1/']) {
    assert.deepEqual(await site(t).call(url), failed('connection failed'), url)
  }
})

test('a call cut off by our own shutdown has not failed: it is made again after the start', async (t) => {
  const service = await standIn(t, silence)
  const { call, close } = site(t)
  const calling = call(service.url, 60_000)
  await until('it was heard', () => service.heard.length === 1)
  await close()
  assert.deepEqual(await calling, { kind: 'unknown' })
})

test('nor has a call that begins after the shutdown', async (t) => {
  const service = await standIn(t, status(200))
  const { call, close } = site(t)
  await close()
  assert.deepEqual(await call(service.url), { kind: 'unknown' })
})

test('the result says whether the request had begun to be written', async (t) => {
  const { caller } = site(t)
  const deadlines = handDeadlines(t)
  const post = (url: string) =>
    caller.post({ url, body: '{}', timeoutMs: 60_000, about: { channel: 'sms', incidentId: 'i', attemptId: 'i.1' } })
  const mute = await standIn(t, silence)
  const posted = post(mute.url)
  await until('it was heard', () => mute.heard.length === 1)
  deadlines.pass()
  assert.deepEqual(await posted, { kind: 'unreached', error: 'connection timeout', written: true })
  const broken = await standIn(t, reset)
  assert.deepEqual(await post(broken.url), { kind: 'unreached', error: 'connection reset', written: true })
  const gone = await post('http://127.0.0.1:9/')
  assert.deepEqual(gone, { kind: 'unreached', error: 'connection refused', written: false })
})

test('the status of an earlier call cannot be looked up', async (t) => {
  const { http } = site(t)
  const notification = {
    attemptId: 'i.1',
    incidentId: 'i',
    claimedAt: now,
    timeoutMs: 50,
    channel: 'http',
    contactId: 'c',
    url: 'http://127.0.0.1:9/',
    body: {},
  } as const
  assert.deepEqual(await http.lookUp(notification), { kind: 'not_found', error: 'connection timeout' })
})

const waits = [
  { header: '0', ms: 0 },
  { header: '2.5', ms: 2_500 },
  { header: ' 30 ', ms: 30_000 },
  { header: '301', ms: 300_000 },
  { header: '1e9', ms: null },
  { header: '-5', ms: null },
  { header: 'soon', ms: null },
  { header: '', ms: null },
  { header: 'Sun, 01 Mar 2026 12:01:00 GMT', ms: 60_000 },
  { header: 'Sun, 01 Mar 2026 11:00:00 GMT', ms: 0 },
  { header: 'Mon, 02 Mar 2026 12:00:00 GMT', ms: 300_000 },
]
for (const { header, ms } of waits) {
  test(`Retry-After "${header}" asks for ${ms} ms`, () =>
    assert.equal(retryAfterMs({ 'retry-after': header }, now), ms))
}

test('a date in Retry-After is relative to the sender’s own clock', () => {
  const headers = { 'retry-after': 'Sun, 01 Mar 2026 12:01:00 GMT', date: 'Sun, 01 Mar 2026 12:00:50 GMT' }
  assert.equal(retryAfterMs(headers, 0), 10_000)
})
