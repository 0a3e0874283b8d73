import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StoreError } from '../../../../src/ports/store.ts'
import { ask, JSON_TYPE, SIGNED, startHttp, TOKEN } from './stand-in.ts'

const SECRET = 'disk /var/lib/secret, phone +4366012345678'
const ALERT = { headers: { ...SIGNED, ...JSON_TYPE }, body: '{"timestamp":"2026-05-01T14:06:40Z"}' }

const throwing = (error: unknown) => async (): Promise<never> => {
  throw error
}

suite('a failing store', () => {
  for (const kind of [
    'disk_full',
    'disk_reserve',
    'overloaded',
    'busy',
    'closed',
    'unreachable',
    'unknown',
    'fault',
  ] as const) {
    test(`${kind}: 503 with Retry-After, without the cause`, async (t) => {
      const site = await startHttp(t, { raiseSos: throwing(new StoreError(SECRET, kind)) })
      const answer = await ask(site, 'POST', '/v1/sdk/sos', ALERT)
      assert.equal(answer.status, 503)
      assert.equal(answer.json.error.code, 'E_SDK_SOS_UNAVAILABLE')
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/)
      assert.ok(!answer.text.includes('secret'))
      const { requestId } = answer.json.error
      assert.deepEqual(
        site.counted.map(({ labels }) => labels),
        [{ route: 'POST /v1/sdk/sos', status: '503' }],
      )
      assert.equal(requestId, answer.headers.get('x-request-id'))
    })
  }

  test('also during the login', async (t) => {
    const site = await startHttp(t, { identify: throwing(new StoreError(SECRET, 'busy')) })
    const answer = await ask(site, 'GET', '/v1/sdk/contacts', { headers: SIGNED })
    assert.equal(answer.status, 503)
    assert.equal(answer.json.error.code, 'E_SDK_CONTACTS_UNAVAILABLE')
  })
})

suite('an internal fault', () => {
  for (const error of [new TypeError(SECRET), Object.assign(new Error(SECRET), { statusCode: 418 }), SECRET, null]) {
    test(`500 without internals: ${String(error)}`, async (t) => {
      const site = await startHttp(t, { raiseSos: throwing(error) })
      const answer = await ask(site, 'POST', '/v1/sdk/sos', ALERT)
      assert.equal(answer.status, 500)
      assert.equal(answer.json.error.code, 'E_SDK_SOS_INTERNAL')
      assert.ok(!answer.text.includes('secret'))
    })
  }

  test('is logged with its request id, and without the person or the token in the path', async (t) => {
    const lines: { fields: object; message: string }[] = []
    const error = (fields: object, message: string) => void lines.push({ fields, message })
    const log = { info: error, warn: error, error }
    const tracking = {
      page: throwing(new Error(`no row for ${TOKEN}`)),
      trail: throwing(new Error('boom')),
      acknowledge: throwing(new StoreError(`no row for ${TOKEN}`, 'fault')),
      decline: throwing(new Error('boom')),
      showPosition: throwing(new Error('boom')),
      stop: throwing(new Error('boom')),
      start: throwing(new Error('boom')),
    }
    const site = await startHttp(t, { log, tracking, raiseSos: throwing(new Error('boom')) })
    const { json } = await ask(site, 'POST', '/v1/sdk/sos', ALERT)
    await ask(site, 'GET', `/t/${TOKEN}`)
    await ask(site, 'POST', `/t/${TOKEN}/ack`)
    assert.equal(lines.length, 3)
    assert.equal((lines[0]!.fields as { requestId: string }).requestId, json.error.requestId)
    const text = JSON.stringify(lines)
    assert.match(text, /boom/)
    assert.match(text, /GET \/t\/:token"/)
    for (const secret of [TOKEN, SIGNED.authorization.slice(7), SIGNED['x-app-id']]) assert.ok(!text.includes(secret))
  })

  test("a client's mistake is not logged", async (t) => {
    const lines: string[] = []
    const note = (_fields: object, message: string) => void lines.push(message)
    const site = await startHttp(t, { log: { info: note, warn: note, error: note } })
    await ask(site, 'POST', '/v1/sdk/sos', { ...ALERT, body: '{' })
    await ask(site, 'GET', '/v1/sdk/sos')
    await ask(site, 'GET', '/t/unknown')
    assert.deepEqual(lines, [])
  })
})

test('requests are counted by the pattern of their route', async (t) => {
  const site = await startHttp(t)
  await ask(site, 'GET', `/t/${TOKEN}`)
  await ask(site, 'PUT', '/v1/sdk/contacts/x', { ...ALERT, body: '{}' })
  await ask(site, 'GET', '/nowhere/near')
  await ask(site, 'GET', '/%ZZ')
  assert.deepEqual(
    site.counted.map(({ name, labels }) => [name, labels.route, labels.status]),
    [
      ['rest_requests_total', 'GET /t/:token', '200'],
      ['rest_requests_total', 'PUT /v1/sdk/contacts/:id', '404'],
      ['rest_requests_total', 'unmatched', '404'],
      ['rest_requests_total', 'unmatched', '400'],
    ],
  )
})

test('a request id from a client is not used', async (t) => {
  const answer = await ask(await startHttp(t), 'GET', '/healthz', {
    headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
  })
  assert.notEqual(answer.headers.get('x-request-id'), 'mine')
})
