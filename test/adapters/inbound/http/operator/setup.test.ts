import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import { newSession } from '../../../../../src/core/operator/session.ts'
import { operatorCalled } from '../../../../app/operator/cast.ts'
import { NOW } from '../stand-in.ts'
import { operatorApi } from './stand-in.ts'

const PAGE = { origin: 'https://sos.example.org', 'x-tocsin-console': '1' }
const SECRET = 's'.repeat(43)
const TOTP = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const GIVEN = { setup: 'link', login: 'Ana', name: 'Ana', password: 'p', totpSecret: TOTP, code: '1' }

suite('the first administrator over HTTP', () => {
  test('looks with a POST, and gets the secret for the app of the chosen login', async (t) => {
    const seen: unknown[] = []
    const firstAdministrator: OperatorNeeds['firstAdministrator'] = {
      async offer(given) {
        seen.push(given)
        return { login: given.login, totpSecret: TOTP, totpLink: 'otpauth://totp/x', expiresAt: NOW }
      },
      accept: async () => ({ refused: 'setup_not_found' }),
    }
    const { ask } = await operatorApi(t, { operator: { firstAdministrator } })
    const look = (body: object) => ask('POST', '/session/setup/look', { headers: PAGE, body })
    const { status, json } = await look({ setup: 'link', login: ' Ana ' })
    assert.equal(status, 200)
    assert.deepEqual(json, {
      login: 'ana',
      totpSecret: TOTP,
      otpauthUri: 'otpauth://totp/x',
      expiresAt: '2026-05-01T14:08:12.000Z',
    })
    await look({ setup: 'link' })
    assert.deepEqual(seen, [
      { setup: 'link', login: 'ana' },
      { setup: 'link', login: 'admin' },
    ])
    assert.equal((await look({ setup: 'link', login: 'two words' })).status, 400)
  })

  test('is signed in with the cookie, and told the recovery codes', async (t) => {
    const used: unknown[] = []
    const firstAdministrator: OperatorNeeds['firstAdministrator'] = {
      offer: async () => ({ refused: 'setup_not_found' }),
      async accept(given, visitor) {
        used.push(given)
        const session = newSession({ id: 'new session', operatorId: 'ana', now: NOW, ...visitor })
        const operator = operatorCalled('ana', { role: 'admin' })
        return { secret: SECRET, session, operator, recoveryCodes: ['ABCD'] }
      },
    }
    const { ask } = await operatorApi(t, { operator: { firstAdministrator } })
    const { status, headers, json } = await ask('POST', '/session/setup', { headers: PAGE, body: GIVEN })
    assert.equal(status, 200)
    assert.match(String(headers['set-cookie']), new RegExp(`^__Host-tocsin=${SECRET};`))
    assert.deepEqual([json.name, json.role, json.recoveryCodes], ['ANA', 'admin', ['ABCD']])
    assert.deepEqual(used, [{ ...GIVEN, login: 'ana' }])
  })

  test('is refused with what to do, and the same for whatever reason the address does not work', async (t) => {
    const { ask } = await operatorApi(t)
    const look = await ask('POST', '/session/setup/look', { headers: PAGE, body: { setup: 'link' } })
    const use = await ask('POST', '/session/setup', { headers: PAGE, body: GIVEN })
    for (const { status, json } of [look, use]) {
      assert.deepEqual([status, json.error.code, json.error.reason], [404, 'E_OPERATOR_NOT_FOUND', 'setup_not_found'])
      assert.match(json.error.message, /restart Tocsin, or run on the server: tocsin operator add LOGIN --role admin/)
    }
  })

  test('reads why a password or code is refused, and what else is malformed', async (t) => {
    const firstAdministrator: OperatorNeeds['firstAdministrator'] = {
      offer: async () => ({ refused: 'setup_not_found' }),
      accept: async ({ code }) =>
        code === 'late' ? { refused: 'wrong_code', now: NOW } : { refused: 'weak_password', why: 'Longer, please.' },
    }
    const { ask } = await operatorApi(t, { operator: { firstAdministrator } })
    const use = (given: object) => ask('POST', '/session/setup', { headers: PAGE, body: { ...GIVEN, ...given } })
    const late = await use({ code: 'late' })
    assert.deepEqual([late.json.error.reason, late.json.error.now], ['wrong_code', '2026-05-01T14:08:12.000Z'])
    assert.equal((await use({})).json.error.message, 'Longer, please.')
    for (const [field, value] of [
      ['login', '<b>'],
      ['name', ' '],
      ['totpSecret', 'short'],
      ['totpSecret', 'g'.repeat(32)],
      ['setup', 'x'.repeat(101)],
      ['password', 'x'.repeat(201)],
    ]) {
      const { status, json } = await use({ [field!]: value })
      assert.deepEqual([status, json.error.fields[0].field], [400, field])
    }
  })

  test('is for the page of the console alone, over TLS, and bounded by address', async (t) => {
    const { ask } = await operatorApi(t, { http: { requestLimits: { perUser: 3, perAddress: 2 } } })
    const ways = ['/session/setup', '/session/setup/look'] as const
    const lan = { host: '192.168.1.5:8080', origin: 'http://192.168.1.5:8080', 'x-tocsin-console': '1' }
    const elsewhere = await ask('POST', ways[0], { headers: { ...PAGE, origin: 'https://evil.example' }, body: GIVEN })
    assert.deepEqual([elsewhere.status, elsewhere.json.error.reason], [403, 'not_own_page'])
    const plain = await ask('POST', ways[1], { headers: lan, body: { setup: 'link' } })
    assert.deepEqual([plain.status, plain.json.error.reason], [403, 'https_needed'])
    for (const path of ways) {
      const { status, headers } = await ask('POST', path, { headers: PAGE, body: GIVEN })
      assert.deepEqual([status, headers['retry-after']], [429, '60'])
    }
  })
})
