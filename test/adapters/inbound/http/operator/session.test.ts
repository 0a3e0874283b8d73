import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import { newSession } from '../../../../../src/core/operator/session.ts'
import { operatorCalled } from '../../../../app/operator/cast.ts'
import { NOW } from '../stand-in.ts'
import { callerCalled, operatorApi, operatorStandIn, secretOf, withCookie, withToken } from './stand-in.ts'

const GIVEN = { login: 'ana', password: 'correct horse battery', code: '123456' }
const PAGE = { origin: 'https://sos.example.org', 'x-tocsin-console': '1' }
const SECRET = 's'.repeat(43)

const signedIn: OperatorNeeds['signIn'] = async (_given, visitor) => ({
  secret: SECRET,
  session: newSession({ id: 'new session', operatorId: 'ana', now: NOW, ...visitor }),
  operator: operatorCalled('ana'),
  recoveryCodesLeft: 7,
})

suite('signing in over HTTP', () => {
  test('sets a cookie that no other host, no script and no other site gets', async (t) => {
    const { ask } = await operatorApi(t, { operator: { signIn: signedIn } })
    const { status, headers, json } = await ask('POST', '/session', { headers: PAGE, body: GIVEN })
    assert.equal(status, 200)
    assert.equal(
      headers['set-cookie'],
      `__Host-tocsin=${SECRET}; Max-Age=604800; Path=/; Secure; HttpOnly; SameSite=Strict`,
    )
    assert.deepEqual([json.name, json.role, json.recoveryCodesLeft], ['ANA', 'operator', 7])
    assert.doesNotMatch(JSON.stringify(json), new RegExp(SECRET))
  })

  test('ends what the same browser was signed in with before, and never takes over its secret', async (t) => {
    const { ask, calls } = await operatorApi(t, { operator: { signIn: signedIn } })
    const { headers } = await ask('POST', '/session', { headers: withCookie('viewer'), body: GIVEN })
    assert.match(String(headers['set-cookie']), new RegExp(SECRET))
    assert.deepEqual(
      calls.map(({ use, args }) => [use, args[0]]),
      [['endEarlier', { kind: 'cookie', secret: secretOf('viewer') }]],
    )
  })

  test('with a link, too; and who has signed in is in, even if the store cannot end what was before', async (t) => {
    const ended: unknown[] = []
    const callers = {
      ...operatorStandIn().callers,
      async endEarlier(proof: unknown) {
        ended.push(proof)
        throw new Error('the disk is full')
      },
    }
    const accepted = await signedIn(GIVEN, { address: '127.0.0.1', browser: '' })
    assert.ok('secret' in accepted)
    const firstSignIn: OperatorNeeds['firstSignIn'] = {
      offer: async () => ({ refused: 'invitation_not_found' }),
      accept: async () => ({ ...accepted, recoveryCodes: [] }),
    }
    const { ask } = await operatorApi(t, { operator: { signIn: signedIn, firstSignIn, callers } })
    const { login: _, ...given } = { ...GIVEN, invitation: 'link' }
    for (const [path, body] of [
      ['/session', GIVEN],
      ['/session/first', given],
    ] as const) {
      const { status, headers } = await ask('POST', path, { headers: withCookie('viewer'), body })
      assert.equal(status, 200, path)
      assert.match(String(headers['set-cookie']), new RegExp(SECRET))
    }
    assert.equal(ended.length, 2)
  })

  test('says how long to wait, and the same whatever is wrong', async (t) => {
    const waits = { refused: 'too_many_attempts', retryAfterMs: 1_001 } as const
    const slow = await operatorApi(t, { operator: { signIn: async () => waits } })
    const told = await slow.ask('POST', '/session', { headers: PAGE, body: GIVEN })
    assert.deepEqual([told.status, told.headers['retry-after']], [429, '2'])
    assert.equal(told.json.error.reason, 'too_many_attempts')
    const { ask } = await operatorApi(t)
    const { status, json } = await ask('POST', '/session', { headers: PAGE, body: GIVEN })
    assert.deepEqual([status, json.error.code, json.error.reason], [401, 'E_OPERATOR_UNAUTHORIZED', 'sign_in_refused'])
  })

  test('is refused with what to do where the browser would drop the cookie', async (t) => {
    const { ask } = await operatorApi(t, { operator: { signIn: signedIn } })
    const from = (host: string) => ({ host, origin: `http://${host}`, 'x-tocsin-console': '1' })
    const lan = await ask('POST', '/session', { headers: from('192.168.1.5:8080'), body: GIVEN })
    assert.deepEqual([lan.status, lan.json.error.reason], [403, 'https_needed'])
    assert.match(lan.json.error.message, /https/)
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080']) {
      assert.equal((await ask('POST', '/session', { headers: from(host), body: GIVEN })).status, 200, host)
    }
  })

  test('is for the page of the console alone', async (t) => {
    const { ask } = await operatorApi(t, { operator: { signIn: signedIn } })
    const { origin: _, ...noOrigin } = PAGE
    const { 'x-tocsin-console': __, ...noHeader } = PAGE
    for (const headers of [noOrigin, noHeader, { ...PAGE, origin: 'https://evil.example' }]) {
      const { status, json } = await ask('POST', '/session', { headers, body: GIVEN })
      assert.deepEqual([status, json.error.reason], [403, 'not_own_page'])
    }
  })

  test('of a browser ends for the page of whoever was signed in before, and stays for who is now', async (t) => {
    const { ask } = await operatorApi(t)
    const { id } = callerCalled('viewer', 'cookie').actor
    const as = (operator: string) =>
      ask('GET', '/session', { headers: { ...withCookie('viewer'), 'x-tocsin-operator': operator } })
    assert.equal((await as(id)).status, 200)
    const { status, json, headers } = await as(callerCalled('admin', 'cookie').actor.id)
    assert.deepEqual([status, json.error.reason, headers['set-cookie']], [401, 'signed_out', undefined])
  })

  test('bounds what is typed, and shows none of it', async (t) => {
    const { ask } = await operatorApi(t)
    const { status, json } = await ask('POST', '/session', {
      headers: PAGE,
      body: { ...GIVEN, password: 'x'.repeat(201) },
    })
    assert.equal(status, 400)
    assert.deepEqual(
      json.error.fields.map(({ field }: { field: string }) => field),
      ['password'],
    )
    assert.doesNotMatch(JSON.stringify(json), /xxx/)
  })

  test('the link for the first sign-in is looked at and used with a POST', async (t) => {
    const seen: unknown[] = []
    const firstSignIn: OperatorNeeds['firstSignIn'] = {
      async offer(secret) {
        seen.push(secret)
        return { login: 'ana', name: 'Ana', totpSecret: 'ABC', totpLink: 'otpauth://totp/x', expiresAt: NOW }
      },
      accept: async ({ code }) =>
        code === 'late' ? { refused: 'wrong_code', now: NOW } : { refused: 'weak_password', why: 'Longer, please.' },
    }
    const { ask } = await operatorApi(t, { operator: { firstSignIn } })
    const look = await ask('POST', '/session/first/look', { headers: PAGE, body: { invitation: 'link' } })
    assert.deepEqual(look.json, {
      login: 'ana',
      name: 'Ana',
      totpSecret: 'ABC',
      otpauthUri: 'otpauth://totp/x',
      expiresAt: '2026-05-01T14:08:12.000Z',
    })
    assert.deepEqual(seen, ['link'])
    const first = (code: string) =>
      ask('POST', '/session/first', { headers: PAGE, body: { invitation: 'link', password: 'p', code } })
    const late = await first('late')
    assert.deepEqual(
      [late.status, late.json.error.reason, late.json.error.now],
      [400, 'wrong_code', '2026-05-01T14:08:12.000Z'],
    )
    assert.equal((await first('1')).json.error.message, 'Longer, please.')
  })
})

suite('who asks the operator API', () => {
  test('is told by the cookie or an API token', async (t) => {
    const { ask } = await operatorApi(t)
    const { json } = await ask('GET', '/session', { headers: withCookie('operator') })
    assert.deepEqual([json.kind, json.login, json.role, json.applications], ['operator', 'operator', 'operator', null])
    assert.deepEqual(json.site.publicUrl, 'https://sos.example.org')
    const token = await ask('GET', '/session', { headers: withToken('viewer') })
    assert.deepEqual([token.json.kind, token.json.login], ['token', null])
  })

  test('is nobody without one, with an unknown one, and with two', async (t) => {
    const { ask, calls } = await operatorApi(t)
    const unknown = 'u'.repeat(43)
    const nobody: readonly Record<string, string>[] = [
      {},
      { cookie: `__Host-tocsin=${unknown}` },
      { cookie: `tocsin=${secretOf('admin')}` },
      { cookie: `__Host-tocsin=${secretOf('admin')}; __Host-tocsin=${unknown}` },
      { authorization: `Bearer ${secretOf('admin')}` },
      // Not the cookie instead: a script whose token has ended must hear of it.
      { ...withCookie('admin'), authorization: `Bearer tocsin_${unknown}` },
    ]
    for (const headers of nobody) {
      const { status, json } = await ask('GET', '/session', { headers })
      assert.deepEqual([status, json.error.reason], [401, 'signed_out'], JSON.stringify(headers))
    }
    assert.equal(calls.length, 2, 'what cannot be one of ours is not looked up')
  })

  test('a page that asks whether anybody is signed in gets no error, and a wrong cookie is removed', async (t) => {
    const { ask } = await operatorApi(t)
    const signedIn = await ask('GET', '/session/current', { headers: withCookie('operator') })
    assert.deepEqual([signedIn.status, signedIn.json.signedIn, signedIn.json.login], [200, true, 'operator'])
    const nobody = await ask('GET', '/session/current')
    assert.deepEqual([nobody.status, nobody.json], [200, { signedIn: false }])
    const ended = await ask('GET', '/session/current', { headers: { cookie: `__Host-tocsin=${'u'.repeat(43)}` } })
    assert.deepEqual([ended.status, ended.json], [200, { signedIn: false }])
    assert.match(String(ended.headers['set-cookie']), /^__Host-tocsin=; Max-Age=0/)
    const forged = { ...withCookie('operator'), 'sec-fetch-site': 'cross-site' }
    assert.equal((await ask('GET', '/session/current', { headers: forged })).status, 403)
  })

  test('a click keeps the session alive, and what the page asks for by itself does not', async (t) => {
    const { ask, calls } = await operatorApi(t)
    const { 'x-tocsin-console': _, ...quiet } = withCookie('viewer')
    await ask('GET', '/session', { headers: withCookie('viewer') })
    await ask('GET', '/session', { headers: quiet })
    assert.deepEqual(
      calls.map(({ args }) => args[1]),
      [{ isPersons: true }, { isPersons: false }],
    )
  })

  test('another site cannot use the cookie, whatever it can make the browser send', async (t) => {
    const { ask, calls } = await operatorApi(t)
    const own = withCookie('admin')
    const { origin: _, ...noOrigin } = own
    const { 'x-tocsin-console': __, ...noHeader } = own
    const forged: readonly (readonly [string, Record<string, string>])[] = [
      ['DELETE', { ...own, origin: 'https://evil.example' }],
      ['DELETE', { ...own, origin: 'null' }],
      ['DELETE', noOrigin],
      ['DELETE', noHeader],
      ['DELETE', { ...own, 'sec-fetch-site': 'same-site' }],
      ['GET', { ...own, 'sec-fetch-site': 'cross-site' }],
      ['GET', { ...own, 'sec-fetch-site': 'same-site' }],
    ]
    for (const [method, headers] of forged) {
      const { status, json } = await ask(method, '/session', { headers })
      assert.deepEqual([status, json?.error.reason], [403, 'not_own_page'], `${method} ${JSON.stringify(headers)}`)
    }
    // The same host without TLS: whoever is on the way could have written that page.
    const { status, json } = await ask('DELETE', '/session', { headers: { ...own, origin: 'http://sos.example.org' } })
    assert.deepEqual([status, json.error.reason], [403, 'https_needed'])
    assert.deepEqual(calls, [])
    const token = await ask('DELETE', '/session', { headers: withToken('admin') })
    assert.equal(token.status, 204, 'a token is no cookie: no other site has it')
    assert.equal((await ask('DELETE', '/session', { headers: own })).status, 204)
  })

  test('the cookie goes with the session', async (t) => {
    const { ask, calls } = await operatorApi(t)
    const out = await ask('DELETE', '/session', { headers: withCookie('viewer') })
    assert.match(String(out.headers['set-cookie']), /^__Host-tocsin=; Max-Age=0; /)
    assert.equal(calls.at(-1)?.use, 'endSession')
    const ended = await ask('GET', '/session', { headers: { cookie: `__Host-tocsin=${'e'.repeat(43)}` } })
    assert.match(String(ended.headers['set-cookie']), /Max-Age=0/)
  })

  test('requests to sign in are bounded by address, apart from those of users and of pages that were signed out', async (t) => {
    const { ask } = await operatorApi(t, { http: { requestLimits: { perUser: 3, perAddress: 2 } } })
    for (let n = 0; n < 3; n += 1) {
      await ask('GET', '/v1/sdk/nothing')
      await ask('GET', '/session', { headers: { cookie: `__Host-tocsin=${'z'.repeat(43)}` } })
    }
    const guess = () => ask('POST', '/session', { headers: PAGE, body: GIVEN })
    const look = () => ask('POST', '/session/first/look', { headers: PAGE, body: { invitation: 'guess' } })
    assert.deepEqual([(await guess()).status, (await look()).status], [401, 404])
    for (const again of [guess, look]) {
      const { status, headers } = await again()
      assert.deepEqual([status, headers['retry-after']], [429, '60'])
    }
    assert.equal((await ask('GET', '/session', { headers: withCookie('viewer') })).status, 200)
  })

  test('the traffic of users from the same address keeps nobody out', async (t) => {
    const { ask } = await operatorApi(t, { http: { requestLimits: { perUser: 3, perAddress: 1 } } })
    assert.equal((await ask('GET', '/v1/sdk/nothing')).status, 404)
    assert.equal((await ask('GET', '/v1/sdk/nothing')).status, 429)
    assert.equal((await ask('POST', '/session', { headers: PAGE, body: GIVEN })).status, 401)
    assert.equal((await ask('GET', '/session')).status, 401)
    const flood = await ask('GET', '/session')
    assert.deepEqual([flood.status, flood.headers['retry-after']], [429, '60'])
    for (const _ of [1, 2, 3]) {
      assert.equal((await ask('GET', '/session', { headers: withCookie('viewer') })).status, 200)
    }
    assert.equal((await ask('GET', '/session', { headers: withCookie('viewer') })).status, 429, 'a limit of their own')
    assert.equal((await ask('GET', '/session', { headers: withCookie('admin') })).status, 200)
  })

  test('there is nothing where the console is off', async (t) => {
    const { ask } = await operatorApi(t, { http: { operator: undefined as never } })
    for (const headers of [{}, withCookie('admin'), withToken('admin')]) {
      assert.equal((await ask('GET', '/session', { headers })).status, 404)
    }
    assert.equal((await ask('POST', '/session', { headers: PAGE, body: GIVEN })).status, 404)
  })
})
