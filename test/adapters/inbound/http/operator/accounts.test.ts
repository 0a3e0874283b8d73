import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import type { By } from '../../../../../src/app/operator/by.ts'
import { entry } from '../../../../../src/core/operator/audit.ts'
import { DAY, MINUTE } from '../../../../../src/lib/durations.ts'
import { operatorCalled } from '../../../../app/operator/cast.ts'
import { NOW } from '../stand-in.ts'
import { HUT, operatorApi, operatorStandIn, withCookie } from './stand-in.ts'

const WHEN = '2026-05-01T14:08:12.000Z'
const nothing = { application: async () => null, user: async () => null }
const MIA = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
const { manage } = operatorStandIn()

suite('managing operators', () => {
  const routes: readonly (readonly [string, string, object?])[] = [
    ['GET', '/operators'],
    ['POST', '/operators', { login: 'ben', name: 'Ben', role: 'viewer', applications: null }],
    ['PATCH', '/operators/x', { disabled: true }],
    ['POST', '/operators/x/invitation'],
    ['GET', '/tokens'],
    ['POST', '/tokens', { name: 'wall', role: 'viewer', applications: null, expiresAt: WHEN }],
    ['DELETE', '/tokens/x'],
    ['GET', '/audit'],
  ]

  test('is for admins of the whole site, whatever others send', async (t) => {
    const { as, ask } = await operatorApi(t)
    for (const [method, path, body] of routes) {
      for (const person of ['viewer', 'operator', 'hutAdmin'] as const) {
        const { status, json } = await as(person, method, path, { body })
        assert.deepEqual([status, json.error.reason], [403, 'not_allowed'], `${person} ${method} ${path}`)
      }
      assert.notEqual((await as('admin', method, path, { body })).status, 403)
      assert.equal((await ask(method, path, { body })).status, 401)
    }
  })

  const lasting = [
    ...routes.filter(([method]) => method !== 'GET'),
    ['POST', `/applications/${HUT}/secrets`],
    ['DELETE', `/applications/${HUT}/secrets/older`],
    ['PATCH', `/applications/${HUT}`, { corsOrigins: ['https://evil.example'] }],
    ['PUT', `/applications/${HUT}/texts`, { language: 'en', key: 'confirm', text: 'x' }],
    ['PUT', `/applications/${HUT}/actuators/webhook`, { url: 'https://evil.example/' }],
    ['DELETE', `/applications/${HUT}/actuators/webhook`],
    ['POST', '/devices/token', { applicationId: HUT, hardwareId: 'T-1' }],
    ['POST', '/devices/token/revoke', { applicationId: HUT, hardwareId: 'T-1' }],
    ['POST', `/applications/${HUT}/contacts`, { externalUserId: 'mia-7', name: 'X', phone: '+4366012345678' }],
    ['POST', `/users/${MIA}/disable`],
    ['DELETE', `/users/${MIA}`],
    ['POST', '/devices', { applicationId: HUT, hardwareId: 'T-1', pairingCode: 'swordfish-1' }],
    ['POST', `/devices/import?app=${HUT}`],
    ['POST', '/devices/unpair', { applicationId: HUT, hardwareId: 'T-1' }],
    ['POST', '/devices/watch', { applicationId: HUT, hardwareId: 'T-1', silentAfterMinutes: 0 }],
    ['PATCH', `/users/${MIA}/timers/${MIA}`, { dueAt: WHEN }],
    ['DELETE', `/users/${MIA}/timers/${MIA}`],
    ['POST', '/nodes/n1/drain'],
    ['POST', '/clock/accept'],
    ['POST', '/applications', { name: 'X', language: 'en' }],
    ['POST', '/recovery-codes'],
  ] as const

  test('what gives lasting access or silences somebody asks again after ten minutes, a script never', async (t) => {
    const time = { now: NOW }
    const callers = { ...operatorStandIn().callers, now: () => time.now }
    const { as, ask } = await operatorApi(t, { operator: { callers, store: nothing as never } })
    for (const [method, path, body] of lasting) {
      const told = async () => {
        const { json } = await ask(method, path, { headers: withCookie('admin'), body })
        return json?.error?.reason === 'proof_needed'
      }
      time.now = NOW + 10 * MINUTE - 1
      assert.equal(await told(), false, `${method} ${path} is asked too soon`)
      time.now = NOW + 10 * MINUTE
      assert.equal(await told(), true, `${method} ${path}`)
      time.now = NOW - 10 * MINUTE
      assert.equal(await told(), true, `${method} ${path}, proved by a clock that ran ahead`)
      time.now = NOW + DAY
      assert.notEqual((await as('admin', method, path, { body })).json?.error?.reason, 'proof_needed')
      const { json } = await ask(method, path, { headers: withCookie('viewer'), body })
      assert.equal(json.error.reason, path === '/recovery-codes' ? 'proof_needed' : 'not_allowed')
    }
    assert.equal(
      (await ask('GET', '/operators', { headers: withCookie('admin') })).status,
      200,
      'looking gives nothing',
    )
  })

  test('adds somebody with a link that is shown once and read by no proxy', async (t) => {
    const seen: By[] = []
    const add: typeof manage.add = async ({ login, ...given }, by) => {
      seen.push(by)
      return { operator: operatorCalled(login, given), invited: { secret: 'SECRET', expiresAt: NOW } }
    }
    const { ask } = await operatorApi(t, { operator: { manage: { ...manage, add } } })
    const body = { login: ' Ben ', name: 'Ben', role: 'viewer', applications: [HUT.toUpperCase()] }
    const { status, json } = await ask('POST', '/operators', { headers: withCookie('admin'), body })
    assert.equal(status, 201)
    assert.deepEqual(
      [json.login, json.applications, json.url, json.expiresAt],
      ['ben', [HUT], 'https://sos.example.org/console/#invitation=SECRET', WHEN],
    )
    assert.deepEqual(
      seen.map(({ actor, address, now }) => [actor.name, address, now]),
      [['admin', '127.0.0.1', NOW]],
    )
  })

  test('changes what is sent and nothing else', async (t) => {
    const seen: unknown[] = []
    const update: typeof manage.update = async (id, given) => {
      seen.push([id, given])
      return operatorCalled('ben', given)
    }
    const { as } = await operatorApi(t, { operator: { manage: { ...manage, update } } })
    assert.equal((await as('admin', 'PATCH', '/operators/b', { body: { role: 'admin' } })).json.role, 'admin')
    assert.deepEqual(seen, [['b', { role: 'admin' }]])
    for (const body of [{}, { applications: [] }, { role: 'root' }, { login: 'other' }]) {
      assert.equal((await as('admin', 'PATCH', '/operators/b', { body })).status, 400, JSON.stringify(body))
    }
  })

  test('refusals say what to do', async (t) => {
    const { as } = await operatorApi(t)
    const told = async (method: string, path: string, body?: object) => {
      const { status, json } = await as('admin', method, path, { body })
      return [status, json.error.code, json.error.reason]
    }
    assert.deepEqual(await told('PATCH', '/operators/x', { disabled: true }), [
      409,
      'E_OPERATOR_CONFLICT',
      'last_admin',
    ])
    assert.deepEqual(await told('DELETE', '/tokens/x'), [404, 'E_OPERATOR_NOT_FOUND', 'token_not_found'])
    const late = { name: 'wall', role: 'viewer', applications: null, expiresAt: '2099-01-01T00:00:00Z' }
    const { json } = await as('admin', 'POST', '/tokens', { body: late })
    assert.deepEqual([json.error.reason, json.error.latest], ['token_end', WHEN])
  })

  test('the audit log has the application under its public name', async (t) => {
    const row = {
      ...entry({ at: NOW, actor: { kind: 'command', id: null, name: 'x' }, action: 'incident.view' }),
      id: 3,
    }
    const audit: typeof manage.audit = async (query, filter) => {
      assert.deepEqual(query, { after: 'c', limit: 5 })
      const any = { actor: null, actions: null, appId: null, from: null, to: null, text: null }
      assert.deepEqual(filter, { ...any, actions: ['incident.', 'shift.'], from: NOW, text: 'hut' })
      return { items: [{ ...row, appId: HUT }], after: 'd' }
    }
    const { as } = await operatorApi(t, { operator: { manage: { ...manage, audit } } })
    const { json } = await as('admin', 'GET', `/audit?cursor=c&limit=5&action=incident.,shift.&text=hut&from=${WHEN}`)
    assert.deepEqual([json.items[0].at, json.items[0].applicationId, json.items[0].appId], [WHEN, HUT, undefined])
    assert.deepEqual([json.nextCursor, json.hasMore], ['d', true])
  })
})

suite('the own account', () => {
  test('lists the own sessions, and ends one', async (t) => {
    const session = {
      createdAt: NOW,
      seenAt: NOW,
      expiresAt: NOW + 1,
      provedAt: NOW,
      address: 'a',
      browser: 'b',
      operatorId: 'o',
    }
    const callers: OperatorNeeds['callers'] = {
      ...operatorStandIn().callers,
      sessions: async () => [
        { ...session, id: 'session of viewer' },
        { ...session, id: 'other' },
      ],
      endSession: async (_caller, id) => (id === 'other' ? { ended: true } : { refused: 'session_not_found' }),
    }
    const { ask } = await operatorApi(t, { operator: { callers } })
    const headers = withCookie('viewer')
    const { json } = await ask('GET', '/sessions', { headers })
    assert.deepEqual(
      json.items.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
      [
        ['session of viewer', true],
        ['other', false],
      ],
    )
    assert.doesNotMatch(JSON.stringify(json), /operatorId/)
    assert.equal((await ask('DELETE', '/sessions/other', { headers })).status, 204)
    assert.equal((await ask('DELETE', '/sessions/theirs', { headers })).status, 404)
  })

  test('says why a password is not changed', async (t) => {
    const answers = {
      weak: { refused: 'weak_password', why: 'Longer, please.' },
      soon: { refused: 'too_many_attempts', retryAfterMs: 900 },
      wrong: { refused: 'wrong_password' },
      good: { changed: true },
    } as const
    const changePassword: OperatorNeeds['changePassword'] = async (_caller, { newPassword }) =>
      answers[newPassword as keyof typeof answers]
    const { ask } = await operatorApi(t, { operator: { changePassword } })
    const told = async (newPassword: string) => {
      const body = { password: 'old', newPassword }
      const { status, headers, json } = await ask('POST', '/password', { headers: withCookie('viewer'), body })
      return [status, json?.error.reason, headers['retry-after']]
    }
    assert.deepEqual(await told('weak'), [400, 'weak_password', undefined])
    assert.deepEqual(await told('soon'), [429, 'too_many_attempts', '1'])
    assert.deepEqual(await told('wrong'), [403, 'wrong_password', undefined])
    assert.deepEqual(await told('good'), [204, undefined, undefined])
  })

  test('is proved with a password or a code, one of them', async (t) => {
    const answers: Readonly<Record<string, Awaited<ReturnType<OperatorNeeds['account']['prove']>>>> = {
      right: { proved: true },
      wrong: { refused: 'wrong_password' },
      '000000': { refused: 'wrong_code' },
      '111111': { refused: 'too_many_attempts', retryAfterMs: 1_500 },
    }
    const account: OperatorNeeds['account'] = {
      ...operatorStandIn().account,
      prove: async (_caller, given) =>
        answers['code' in given ? given.code : 'password' in given ? given.password : '']!,
    }
    const { ask, as } = await operatorApi(t, { operator: { account } })
    const told = async (body: object) => {
      const { status, headers, json } = await ask('POST', '/session/proof', { headers: withCookie('viewer'), body })
      return [status, json?.error.reason, headers['retry-after']]
    }
    assert.deepEqual(await told({ password: 'right' }), [204, undefined, undefined])
    assert.deepEqual(await told({ password: 'wrong' }), [403, 'wrong_password', undefined])
    assert.deepEqual(await told({ code: '000000' }), [400, 'wrong_code', undefined])
    assert.deepEqual(await told({ code: '111111' }), [429, 'too_many_attempts', '2'])
    for (const body of [{}, { password: 'right', code: '000000' }]) assert.equal((await told(body))[0], 400)
    assert.equal((await as('viewer', 'GET', '/recovery-codes')).json.error.reason, 'not_for_tokens')
  })

  test('shows new recovery codes once, and how many are left', async (t) => {
    const account: OperatorNeeds['account'] = {
      ...operatorStandIn().account,
      recoveryCodesLeft: async () => ({ left: 2 }),
      renewRecoveryCodes: async () => ({ codes: ['ABCD-EFGH'] }),
    }
    const { ask } = await operatorApi(t, { operator: { account } })
    const headers = withCookie('viewer')
    assert.deepEqual((await ask('GET', '/recovery-codes', { headers })).json, { left: 2 })
    assert.deepEqual((await ask('POST', '/recovery-codes', { headers })).json, { recoveryCodes: ['ABCD-EFGH'] })
  })
})
