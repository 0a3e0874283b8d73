import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OperatorParts } from '../../../../../src/adapters/inbound/http/operator/parts.ts'
import type { By } from '../../../../../src/app/operator/by.ts'
import { entry } from '../../../../../src/core/operator/audit.ts'
import { operatorCalled } from '../../../../app/operator/cast.ts'
import { NOW } from '../stand-in.ts'
import { HUT, operatorApi, operatorStandIn, withCookie } from './stand-in.ts'

const WHEN = '2026-05-01T14:08:12.000Z'
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
    const audit: typeof manage.audit = async (query) => {
      assert.deepEqual(query, { after: 'c', limit: 5 })
      return { items: [{ ...row, appId: HUT }], after: 'd' }
    }
    const { as } = await operatorApi(t, { operator: { manage: { ...manage, audit } } })
    const { json } = await as('admin', 'GET', '/audit?cursor=c&limit=5')
    assert.deepEqual([json.items[0].at, json.items[0].applicationId, json.items[0].appId], [WHEN, HUT, undefined])
    assert.deepEqual([json.nextCursor, json.hasMore], ['d', true])
  })
})

suite('the own account', () => {
  test('lists the own sessions, and ends one', async (t) => {
    const session = { createdAt: NOW, seenAt: NOW, expiresAt: NOW + 1, address: 'a', browser: 'b', operatorId: 'o' }
    const callers: OperatorParts['callers'] = {
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
    const changePassword: OperatorParts['changePassword'] = async (_caller, { newPassword }) =>
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
})
