import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { corsOrigins } from '../../../../src/app/connections/cors-origins.ts'
import type { Application } from '../../../../src/core/account/application.ts'
import { operationsOf, wholeDocument } from './documented.ts'
import { ANA, type Answer, ask, JSON_TYPE, SIGNED, sharedHttp, startHttp } from './stand-in.ts'

const MAPS = 'https://maps.example'
const OTHER = 'https://other.example'
const EVIL = 'https://evil.example'
const OTHER_APP = '0b000000-0000-7000-8000-00000000000b'

const application = (id: string, origin: string, disabled = false) =>
  ({ id, disabled, corsOrigins: [origin] }) as unknown as Application
const origins = (applications: readonly Application[]) =>
  corsOrigins({ store: { applications: async () => applications }, monotonicMs: () => 0 })

const given = { corsOrigins: origins([application(ANA.appId, MAPS), application(OTHER_APP, OTHER)]) }

/** Every method that an SDK route has. */
const METHODS = new Set(
  operationsOf((await wholeDocument()).paths).flatMap(({ name }) => {
    const [method, path] = name.split(' ')
    return path!.startsWith('/v1/sdk/') ? [method!] : []
  }),
)

const allowed = (answer: Answer): string | null => answer.headers.get('access-control-allow-origin')
const preflight = (origin: string, method = 'POST') => ({
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,x-app-id',
  },
})

suite('a preflight', () => {
  const shared = sharedHttp(given)
  for (const path of [
    '/v1/sdk/sos',
    '/v1/sdk/sos/cancel',
    '/v1/sdk/events',
    '/v1/sdk/me',
    '/v1/sdk/contacts/1',
    '/v1/sdk/timers/1',
    '/v1/sdk/telemetry/history',
    '/v1/sdk/token',
    '/v1/sdk/feedback',
    '/telemetry/history',
    '/config/device/DE',
  ]) {
    test(`${path}: is allowed from the origin of any application`, async () => {
      const site = shared()
      for (const origin of [MAPS, OTHER]) {
        const answer = await ask(site, 'OPTIONS', path, preflight(origin))
        assert.equal(answer.status, 204)
        assert.equal(allowed(answer), origin)
        const methods = answer.headers.get('access-control-allow-methods')?.split(', ')
        assert.deepEqual(new Set(methods), METHODS)
        for (const header of ['Authorization', 'Content-Type', 'X-App-ID', 'X-User-ID', 'X-User-Token']) {
          assert.ok(answer.headers.get('access-control-allow-headers')?.includes(header), header)
        }
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
        assert.equal(answer.headers.get('vary'), 'Origin')
      }
    })
  }

  test('from any other origin is a method that the path does not have', async () => {
    const site = shared()
    for (const origin of [EVIL, 'null', `${MAPS}.evil.example`, 'http://maps.example', '']) {
      const answer = await ask(site, 'OPTIONS', '/v1/sdk/sos', preflight(origin))
      assert.equal(answer.status, 405, origin)
      assert.equal(allowed(answer), null)
    }
    assert.equal((await ask(site, 'OPTIONS', '/v1/sdk/sos', { headers: { origin: MAPS } })).status, 405)
  })

  test('is not answered by any other path', async () => {
    const site = shared()
    for (const path of [
      '/',
      '/healthz',
      '/metrics',
      '/docs',
      '/openapi.json',
      '/openapi-broker.json',
      '/t/x',
      '/v1/sdk/mqtt/auth/connect',
    ]) {
      const asked = await ask(site, 'OPTIONS', path, preflight(MAPS))
      assert.notEqual(asked.status, 204, path)
      assert.equal(allowed(asked), null, path)
      assert.equal(allowed(await ask(site, 'GET', path, { headers: { origin: MAPS, ...SIGNED } })), null, path)
    }
  })

  test('is never refused before an alarm, and is counted before anything else', async (t) => {
    const site = await startHttp(t, { ...given, requestLimits: { perUser: 0, perAddress: 1 } })
    assert.equal((await ask(site, 'OPTIONS', '/v1/sdk/me', preflight(MAPS))).status, 204)
    assert.equal((await ask(site, 'OPTIONS', '/v1/sdk/me', preflight(MAPS))).status, 429)
    assert.equal((await ask(site, 'OPTIONS', '/v1/sdk/sos', preflight(MAPS))).status, 204)
  })
})

suite('the response', () => {
  const shared = sharedHttp(given)
  test('is for the origins of the application that the request names', async () => {
    const site = shared()
    const asked = (origin: string) => ask(site, 'GET', '/v1/sdk/me', { headers: { ...SIGNED, origin } })
    assert.equal(allowed(await asked(MAPS)), MAPS)
    const exposed = (await asked(MAPS)).headers.get('access-control-expose-headers')
    assert.equal(exposed, 'Date, Retry-After, X-Request-Id')
    for (const origin of [OTHER, EVIL]) assert.equal(allowed(await asked(origin)), null, origin)
    assert.equal((await asked(EVIL)).status, 200, 'it is for the browser to keep it from the page')
    assert.equal((await asked(MAPS)).headers.get('vary'), 'Origin')
    assert.equal((await ask(site, 'GET', '/v1/sdk/me', { headers: SIGNED })).headers.get('vary'), 'Origin')
  })

  test('can be read even if it is a refusal', async (t) => {
    const site = await startHttp(t, { ...given, requestLimits: { perUser: 0, perAddress: 3 } })
    const headers = { ...SIGNED, ...JSON_TYPE, origin: MAPS }
    const wrong = await ask(site, 'GET', '/v1/sdk/me', { headers: { ...headers, authorization: 'Bearer 00' } })
    assert.deepEqual([wrong.status, allowed(wrong)], [401, MAPS])
    const bad = await ask(site, 'POST', '/v1/sdk/sos', { headers, body: '{' })
    assert.deepEqual([bad.status, allowed(bad)], [400, MAPS])
    await ask(site, 'GET', '/healthz')
    for (let n = 0; n < 2; n++) await ask(site, 'GET', '/v1/sdk/me', { headers })
    const many = await ask(site, 'GET', '/v1/sdk/me', { headers })
    assert.deepEqual([many.status, allowed(many)], [429, MAPS])
  })

  test('without a session it is for the origins of any application', async () => {
    const site = shared()
    assert.equal(allowed(await ask(site, 'GET', '/config/device/DE', { headers: { origin: OTHER } })), OTHER)
    assert.equal(allowed(await ask(site, 'GET', '/config/device/DE', { headers: { origin: EVIL } })), null)
  })
})

suite('the origins', () => {
  test('are read again after a second, however often they are asked for', async () => {
    let now = 0
    let reads = 0
    let listed = [application(ANA.appId, MAPS)]
    const store = {
      applications: async () => {
        reads++
        return listed
      },
    }
    const { isKnown, isOf } = corsOrigins({ store, monotonicMs: () => now })
    for (let n = 0; n < 100; n++) assert.equal(await isKnown(MAPS), true)
    assert.equal(reads, 1)
    listed = [application(ANA.appId, OTHER), application(OTHER_APP, MAPS, true)]
    now = 1000
    assert.deepEqual(
      [await isKnown(MAPS), await isOf(ANA.appId, OTHER), await isOf(OTHER_APP, MAPS)],
      [false, true, false],
    )
    assert.equal(reads, 2)
  })

  test('allow no origin if they cannot be read', async () => {
    const store = { applications: async () => Promise.reject(new Error('disk')) }
    assert.equal(await corsOrigins({ store, monotonicMs: () => 0 }).isKnown(MAPS), false)
  })
})
