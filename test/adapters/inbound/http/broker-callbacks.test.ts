import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StoreError } from '../../../../src/ports/store.ts'
import { ask, HASH, JSON_TYPE, sharedHttp, startHttp } from './stand-in.ts'

const CONNECT = '/v1/sdk/mqtt/auth/connect'
const ACL = '/v1/sdk/mqtt/auth/acl'
const USERNAME = 'sdk:app:ana'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const json = (body: unknown): RequestInit => ({ headers: JSON_TYPE, body: JSON.stringify(body) })
const form = (body: Record<string, string>): RequestInit => ({
  headers: FORM,
  body: new URLSearchParams(body).toString(),
})

const client = { username: USERNAME, password: HASH, clientid: 'svc_1' }
const own = { username: USERNAME, clientid: 'svc_1', topic: 'own', action: 'publish' }

suite('a broker request is passed on and answered in both forms', () => {
  const shared = sharedHttp()
  const cases: readonly (readonly [path: string, body: Record<string, string>, allowed: boolean, asked: unknown[]])[] =
    [
      [CONNECT, client, true, [USERNAME, HASH, 'svc_1']],
      [CONNECT, { ...client, username: 'sdk:app:a+b c%', password: HASH }, true, ['sdk:app:a+b c%', HASH, 'svc_1']],
      [CONNECT, { ...client, password: 'wrong' }, false, [USERNAME, 'wrong', 'svc_1']],
      [CONNECT, { username: USERNAME, password: HASH }, true, [USERNAME, HASH, '']],
      [ACL, own, true, [{ username: USERNAME, topic: 'own', actions: ['publish'] }]],
      [ACL, { ...own, action: 'subscribe' }, true, [{ username: USERNAME, topic: 'own', actions: ['subscribe'] }]],
      [ACL, { ...own, topic: 'own/#' }, false, [{ username: USERNAME, topic: 'own/#', actions: ['publish'] }]],
      [ACL, { ...own, acc: '4' }, true, [{ username: USERNAME, topic: 'own', actions: ['publish'] }]],
    ]
  for (const [path, body, allowed, asked] of cases) {
    for (const [encoding, init] of [
      ['JSON', json(body)],
      ['a form', form(body)],
    ] as const) {
      test(`${path} ${JSON.stringify(asked)} as ${encoding}`, async () => {
        const site = shared()
        const answer = await ask(site, 'POST', path, init)
        assert.equal(answer.status, allowed ? 200 : 403)
        assert.equal(answer.text, allowed ? '{"result":"allow"}' : '{"result":"deny"}')
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
        assert.deepEqual(site.calls[0]!.args, asked)
      })
    }
  }

  for (const [acc, actions] of [
    [1, ['subscribe']],
    [2, ['publish']],
    [3, ['subscribe', 'publish']],
    [4, ['subscribe']],
  ] as const) {
    test(`acc ${acc} means ${actions.join(' and ')}`, async () => {
      const site = shared()
      const { action: _, ...body } = own
      await ask(site, 'POST', ACL, json({ ...body, acc }))
      await ask(site, 'POST', ACL, form({ ...body, acc: String(acc) }))
      const asked = { username: USERNAME, topic: 'own', actions }
      assert.deepEqual(
        site.calls.map(({ args }) => args),
        [[asked], [asked]],
      )
    })
  }
})

suite('everything but an allow is a deny', () => {
  const shared = sharedHttp()
  const unusable: readonly (readonly [what: string, path: string, init: RequestInit])[] = [
    ['broken JSON', CONNECT, { headers: JSON_TYPE, body: '{' }],
    ['nothing', CONNECT, {}],
    ['an array', CONNECT, json([])],
    ['no password', CONNECT, json({ username: USERNAME })],
    ['a password that is not a string', CONNECT, json({ ...client, password: 7 })],
    ['two passwords', CONNECT, { headers: FORM, body: `username=a&password=${HASH}&password=${HASH}` }],
    ['text', CONNECT, { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(client) }],
    ['64 KiB and more', CONNECT, json({ ...client, more: 'x'.repeat(65_536) })],
    ['a form of 64 KiB and more', ACL, form({ ...own, more: 'x'.repeat(65_536) })],
    ['no topic', ACL, json({ ...own, topic: undefined })],
    ['another action', ACL, json({ ...own, action: 'all' })],
    ['another acc', ACL, json({ ...own, action: undefined, acc: 0 })],
  ]
  for (const status of [403, 200] as const) {
    const denying = sharedHttp({ callbackDenyStatus: status })
    for (const [what, path, init] of unusable) {
      test(`${path} with ${what} → ${status}`, async () => {
        const site = denying()
        const answer = await ask(site, 'POST', path, init)
        assert.equal(answer.status, status)
        assert.equal(answer.text, '{"result":"deny"}')
        assert.deepEqual(site.calls, [])
        assert.equal(site.lines.length, 1)
        assert.ok(!JSON.stringify(site.lines).includes(HASH), 'no hash is logged')
      })
    }

    test(`a request that cannot be checked → ${status}`, async (t) => {
      const fails = async () => {
        throw new StoreError('the disk is gone', 'fault')
      }
      const site = await startHttp(t, {
        callbackDenyStatus: status,
        mqttCallbacks: { mayConnect: fails, mayAccess: fails },
      })
      for (const [path, body] of [
        [CONNECT, client],
        [ACL, own],
      ] as const) {
        const answer = await ask(site, 'POST', path, json(body))
        assert.equal(answer.status, status)
        assert.equal(answer.text, '{"result":"deny"}')
      }
      assert.deepEqual(
        site.lines.map(({ level }) => level),
        ['error', 'error'],
      )
    })
  }
  test('a missing action is passed on as no action', async () => {
    const site = shared()
    const { action: _, ...body } = own
    await ask(site, 'POST', ACL, json(body))
    assert.deepEqual(site.calls[0]!.args, [{ username: USERNAME, topic: 'own', actions: [] }])
  })
})

suite('the callbacks are for the broker', () => {
  const bearer = { authorization: 'Bearer open sesame' }
  const proxied = { 'x-forwarded-for': '203.0.113.9' }
  const local = { 'x-forwarded-for': '127.0.0.1' }
  const cases = [
    { who: 'this machine', parts: {}, headers: {}, status: 200 },
    { who: 'a proxy on this machine', parts: {}, headers: proxied, status: 401 },
    { who: 'a client that claims to be local', parts: {}, headers: local, status: 401 },
    {
      who: 'a client that claims to be local behind a trusted proxy',
      parts: { trustProxy: true },
      headers: local,
      status: 401,
    },
    { who: 'this machine without the token', parts: { callbackToken: 'open sesame' }, headers: {}, status: 401 },
    { who: 'the token', parts: { callbackToken: 'open sesame' }, headers: { ...proxied, ...bearer }, status: 200 },
    { who: 'a wrong token', parts: { callbackToken: 'open' }, headers: bearer, status: 401 },
  ]
  for (const { who, parts, headers, status } of cases) {
    const shared = sharedHttp(parts)
    for (const [path, body] of [
      [CONNECT, client],
      [ACL, own],
    ] as const) {
      test(`${path}: ${who} → ${status}`, async () => {
        const site = shared()
        const init = { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
        const answer = await ask(site, 'POST', path, init)
        assert.equal(answer.status, status)
        if (status === 401) {
          assert.equal(answer.json.error.code, 'E_SDK_MQTT_UNAUTHORIZED')
          assert.deepEqual(site.calls, [])
        }
      })
    }
  }
})
