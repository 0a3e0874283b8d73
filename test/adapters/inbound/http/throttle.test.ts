import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { until } from '../../../harness/wait.ts'
import { ANA, type Answer, ask, HASH, JSON_TYPE, SIGNED, type Site, startHttp, TOKEN } from './stand-in.ts'

const ALERT = { headers: { ...SIGNED, ...JSON_TYPE }, body: '{"timestamp":"2026-05-01T14:06:40Z"}' }
const BEN = { ...ANA, userId: 'b0000000-0000-7000-8000-000000000001', externalUserId: 'ben' }
const BENS = { ...SIGNED, 'x-user-id': 'ben' }

/** Ana and Ben are both admitted. */
const both = {
  identify: async ({ externalUserId, userHash }: { externalUserId: string; userHash: string }) =>
    userHash === HASH ? (externalUserId === 'ben' ? BEN : ANA) : null,
}

function assertTooMany(answer: Answer, family: string): void {
  assert.equal(answer.status, 429)
  assert.equal(answer.json.error.code, `E_SDK_${family}_RATE_LIMITED`)
  assert.equal(answer.json.error.requestId, answer.headers.get('x-request-id'))
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
}

suite('requests per minute', () => {
  test('a user has one limit over all routes together, and others keep theirs', async (t) => {
    const site = await startHttp(t, { ...both, requestLimits: { perUser: 3, perAddress: 0 } })
    for (const path of ['/v1/sdk/me', '/v1/sdk/contacts', '/v1/sdk/devices']) {
      assert.equal((await ask(site, 'GET', path, { headers: SIGNED })).status, 200)
    }
    assertTooMany(await ask(site, 'GET', '/v1/sdk/contacts', { headers: SIGNED }), 'CONTACTS')
    assertTooMany(await ask(site, 'GET', '/v1/sdk/sos', { headers: SIGNED }), 'SOS')
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: BENS })).status, 200)
  })

  test("a request without a session uses up no user's limit", async (t) => {
    const site = await startHttp(t, { ...both, requestLimits: { perUser: 1, perAddress: 0 } })
    for (let i = 0; i < 5; i++) {
      const wrong = { ...SIGNED, authorization: `Bearer ${'0'.repeat(64)}` }
      assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: wrong })).status, 401)
    }
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 200)
  })

  test('an address has a limit, whichever users it serves and whether admitted or not', async (t) => {
    const site = await startHttp(t, { ...both, requestLimits: { perUser: 0, perAddress: 3 } })
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 200)
    assert.equal((await ask(site, 'GET', '/v1/sdk/me')).status, 401)
    assert.equal((await ask(site, 'GET', '/config/device/DE')).status, 200)
    assertTooMany(await ask(site, 'GET', '/config/device/DE'), 'CONFIG')
    assertTooMany(await ask(site, 'GET', '/v1/sdk/me', { headers: BENS }), 'PROFILE')
  })

  test('behind a trusted proxy the forwarded addresses count', async (t) => {
    const site = await startHttp(t, { trustProxy: true, requestLimits: { perUser: 0, perAddress: 1 } })
    const from = (address: string) => ask(site, 'GET', '/config/device/DE', { headers: { 'x-forwarded-for': address } })
    assert.equal((await from('203.0.113.1')).status, 200)
    assert.equal((await from('203.0.113.1')).status, 429)
    assert.equal((await from('203.0.113.2')).status, 200)
    assert.equal((await from('2001:db8::1')).status, 200)
    assert.equal((await from('2001:db8::ffff:2')).status, 429, 'one network is one address')
    assert.equal((await from('2001:db8:1::1')).status, 200)
  })

  test('alarms, their closing, tracking pages and the broker are never limited', async (t) => {
    const site = await startHttp(t, { requestLimits: { perUser: 1, perAddress: 1 } })
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 200)
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 429)
    const callback = { username: 'sdk:app:ana', password: HASH }
    for (const [method, path, init, status] of [
      ['POST', '/v1/sdk/sos', ALERT, 201],
      ['POST', '/v1/sdk/sos/cancel', { headers: SIGNED }, 200],
      ['POST', '/v1/sdk/sos/resolve', { headers: SIGNED }, 200],
      ['GET', '/t/Zm9vYmFyYmF6cXV4MTIzNA', {}, 200],
      ['POST', '/t/Zm9vYmFyYmF6cXV4MTIzNA/ack', {}, 303],
      ['POST', '/t/Zm9vYmFyYmF6cXV4MTIzNA/decline', {}, 303],
      ['POST', '/v1/sdk/mqtt/auth/connect', { headers: JSON_TYPE, body: JSON.stringify(callback) }, 200],
    ] as const) {
      for (let i = 0; i < 3; i++) {
        assert.equal((await ask(site, method, path, init as RequestInit)).status, status, path)
      }
    }
  })

  for (const path of [
    '/',
    '/docs',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/index.css',
    '/docs/static/nothing',
    '/openapi.json',
    '/openapi-operator.json',
    '/openapi-broker.json',
    '/asyncapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
    '/mqtt',
    '/nowhere',
  ]) {
    test(`${path} counts for the address too`, async (t) => {
      const site = await startHttp(t, { requestLimits: { perUser: 0, perAddress: 2 } })
      const asked = () => ask(site, 'GET', path)
      const { status } = await asked()
      assert.notEqual(status, 429)
      assert.equal((await asked()).status, status)
      const refused = await asked()
      assert.equal(refused.status, 429)
      assert.equal(refused.json.error.code, 'E_RATE_LIMITED')
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]/)
    })
  }

  test('a method that a path does not have counts too', async (t) => {
    const site = await startHttp(t, { requestLimits: { perUser: 0, perAddress: 1 } })
    assert.equal((await ask(site, 'DELETE', '/healthz')).status, 405)
    assert.equal((await ask(site, 'DELETE', '/healthz')).status, 429)
  })

  test('other requests cannot make the service look unhealthy', async (t) => {
    const site = await startHttp(t, { requestLimits: { perUser: 0, perAddress: 1 } })
    for (const status of [200, 429]) assert.equal((await ask(site, 'GET', '/docs')).status, status)
    assert.equal((await ask(site, 'GET', '/readyz')).status, 200)
  })

  test('0 is no limit', async (t) => {
    const site = await startHttp(t, { requestLimits: { perUser: 0, perAddress: 0 } })
    for (let i = 0; i < 20; i++) assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 200)
  })
})

/**
 * A server at which as many as 150 guesses wait for their refusals, until the test lets them have them. Clients no
 * longer wait for these.
 */
async function guessedAt(t: TestContext, guess: (site: Site, n: number, signal: AbortSignal) => Promise<unknown>) {
  // Guesses count less the older they are.
  t.mock.method(performance, 'now', () => 1_000_000)
  const waitsMs: number[] = []
  const refusals = Promise.withResolvers<void>()
  const site = await startHttp(t, {
    wait: (ms) => {
      waitsMs.push(ms)
      return refusals.promise
    },
  })
  t.after(() => refusals.resolve())
  const seen = new AbortController()
  const guesses = Array.from({ length: 150 }, (_, n) => guess(site, n, seen.signal))
  // The first thirty are refused immediately.
  await until('the other guesses wait', () => waitsMs.length === 120)
  seen.abort()
  await Promise.allSettled(guesses)
  assert.deepEqual([...new Set(waitsMs)], [250, 1000])
  return { site, waitsMs, refuse: refusals.resolve }
}

test('wrong hashes wait for their refusal; the right user at the same address does not', async (t) => {
  const wrong = { headers: { ...SIGNED, authorization: `Bearer ${'0'.repeat(64)}` } }
  const { site, waitsMs, refuse } = await guessedAt(t, (site, _n, signal) =>
    ask(site, 'GET', '/v1/sdk/me', { ...wrong, signal }),
  )
  const order: string[] = []
  const refused = ask(site, 'GET', '/v1/sdk/me', wrong).then(({ status }) => order.push(`wrong ${status}`))
  await until('one more waits', () => waitsMs.length === 121)
  order.push(`right ${(await ask(site, 'POST', '/v1/sdk/sos', ALERT)).status}`)
  refuse()
  await refused
  assert.deepEqual(order, ['right 201', 'wrong 401'])
})

test('a client that guesses tracking links waits for the answer; one with a valid link does not', async (t) => {
  const path = (n: number) => `/t/${String(n).padStart(22, 'x')}`
  const { site, waitsMs, refuse } = await guessedAt(t, (site, n, signal) => ask(site, 'GET', path(n), { signal }))
  const order: string[] = []
  const guessed = ask(site, 'GET', path(200)).then(({ status }) => order.push(`wrong ${status}`))
  await until('one more waits', () => waitsMs.length === 121)
  order.push(`right ${(await ask(site, 'GET', `/t/${TOKEN}`)).status}`)
  refuse()
  await guessed
  assert.deepEqual(order, ['right 200', 'wrong 404'])
})

test("one user's alerts are read in turn with another's, from however many addresses they come", async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const order: string[] = []
  const site = await startHttp(t, {
    ...both,
    raiseSos: async ({ externalUserId }) => {
      order.push(externalUserId)
      // Each takes a slice of the main thread.
      now += 10
      if (order.length === 5) pressesBen()
      return { opened: true, incident: null }
    },
  })
  const { authorization, 'x-app-id': appId } = SIGNED
  const head = `HTTP/1.1\r\nAuthorization: ${authorization}\r\nX-App-Id: ${appId}\r\n`
  /** A phone with an open connection. */
  const phone = async (localAddress: string, user: string): Promise<() => void> => {
    const socket = connect({ port: site.port, host: '127.0.0.1', localAddress })
    t.after(() => socket.destroy())
    socket.write(`GET /v1/sdk/me ${head}X-User-Id: ${user}\r\n\r\n`)
    await once(socket, 'data')
    const { body } = ALERT
    const press = `POST /v1/sdk/sos ${head}X-User-Id: ${user}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    return () => void socket.write(press)
  }
  const pressesBen = await phone('127.0.0.1', 'ben')
  const pressesAna = await Promise.all(Array.from({ length: 100 }, (_, n) => phone(`127.0.0.${2 + n}`, 'ana')))
  for (const presses of pressesAna) presses()
  await until('all alerts', () => order.length === 101)
  assert.ok(order.indexOf('ben') < 20, `after ${order.indexOf('ben')}`)
})

test('the answers to alerts of one commit are made in turns', async (t) => {
  const ALERTS = 8
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const committed = Promise.withResolvers<void>()
  let waiting = 0
  let answers = 0
  const perTurn: number[] = [0]
  const site = await startHttp(t, {
    raiseSos: async () => {
      waiting += 1
      if (waiting === ALERTS) committed.resolve()
      await committed.promise
      return {
        opened: true,
        get incident() {
          answers += 1
          perTurn[perTurn.length - 1]! += 1
          // Each takes a slice of the main thread.
          now += 10
          return null
        },
      }
    },
  })
  const statuses = Array.from({ length: ALERTS }, async () => (await ask(site, 'POST', '/v1/sdk/sos', ALERT)).status)
  while (answers < ALERTS) {
    perTurn.push(0)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual(await Promise.all(statuses), Array(ALERTS).fill(201))
  assert.equal(Math.max(...perTurn), 1)
})
