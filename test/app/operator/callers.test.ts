import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorCallers } from '../../../src/app/operator/callers.ts'
import { addApiToken, revokeApiToken } from '../../../src/app/operator/tokens.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import { secretHash } from '../../../src/core/operator/secret.ts'
import { type ApiToken, MAX_TOKEN_MS, newSession, type OperatorSession } from '../../../src/core/operator/session.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import type { OperatorStore } from '../../../src/ports/operator-store.ts'
import { countedIds, NOW, operatorCalled } from './cast.ts'

const ANA = { kind: 'operator', id: 'id of ana', name: 'ANA' } as const
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function site() {
  const operator = operatorCalled('ana', { role: 'viewer', applications: ['a'] })
  const begun = { id: 's1', operatorId: operator.id, now: NOW, address: 'hut', browser: 'Firefox' }
  const sessions = new Map<string, OperatorSession>([[secretHash('cookie'), newSession(begun)]])
  const tokens = new Map<string, ApiToken>()
  const audit: AuditEntry[] = []
  const seen: (readonly [string, number])[] = []
  const logged: string[] = []
  const time = { now: NOW }
  const fault = { isFull: false }
  const noting = async (id: string, now: number): Promise<void> => {
    if (fault.isFull) throw new Error('the disk is full')
    seen.push([id, now])
  }
  type Used =
    | 'operatorSession'
    | 'sessionSeen'
    | 'apiToken'
    | 'apiTokenUsed'
    | 'operatorSessions'
    | 'endSession'
    | 'addToken'
    | 'revokeToken'
  const store: Pick<OperatorStore, Used> = {
    async operatorSession(hash) {
      const session = sessions.get(hash)
      return session === undefined ? null : { session, operator }
    },
    sessionSeen: noting,
    operatorSessions: async () => [...sessions.values()],
    async endSession(operatorId, sessionId, entry) {
      for (const [hash, session] of sessions) {
        if (session.id !== sessionId || session.operatorId !== operatorId) continue
        sessions.delete(hash)
        audit.push(entry)
        return { ended: true }
      }
      return { refused: 'session_not_found' }
    },
    apiToken: async (hash) => tokens.get(hash) ?? null,
    apiTokenUsed: noting,
    async addToken({ hash, ...token }, limit, entry) {
      if (tokens.size >= limit) return { refused: 'token_limit' }
      tokens.set(hash, token)
      audit.push(entry)
      return { added: true }
    },
    async revokeToken(tokenId, entry) {
      for (const [hash, { id }] of tokens) {
        if (id !== tokenId) continue
        tokens.delete(hash)
        audit.push(entry)
        return { revoked: true }
      }
      return { refused: 'token_not_found' }
    },
  }
  const warn = (_fields: unknown, message: string) => void logged.push(message)
  const log = { info() {}, warn, error: warn }
  const callers = operatorCallers({ store, clock: { now: () => time.now }, log })
  return { store, callers, sessions, tokens, audit, seen, logged, time, fault }
}

test('a cookie is whoever signed in, and says now and then that it is used', async () => {
  const { callers, seen, time } = site()
  const ofCookie = (isPersons: boolean) => callers.of({ kind: 'cookie', secret: 'cookie' }, { isPersons })
  const caller = await ofCookie(true)
  assert.deepEqual([caller?.actor, caller?.grant], [ANA, { role: 'viewer', applications: ['a'] }])
  assert.equal(await callers.of({ kind: 'cookie', secret: 'another' }, { isPersons: true }), null)
  time.now += MINUTE - 1
  await ofCookie(true)
  assert.deepEqual(seen, [])
  time.now += 1
  await ofCookie(false)
  assert.deepEqual(seen, [], 'a page that refreshes itself keeps nobody signed in')
  await ofCookie(true)
  assert.deepEqual(seen, [['s1', NOW + MINUTE]])
  time.now += 12 * HOUR
  assert.equal(await ofCookie(true), null, 'it has ended')
})

test('a use that cannot be noted is answered all the same', async () => {
  const { callers, logged, time, fault } = site()
  fault.isFull = true
  time.now += MINUTE
  assert.notEqual(await callers.of({ kind: 'cookie', secret: 'cookie' }, { isPersons: true }), null)
  await turn()
  assert.equal(logged.length, 1)
})

test('operators end their own sessions, and nobody else’s', async () => {
  const { callers, sessions, audit } = site()
  const other = { id: 's2', operatorId: 'id of ana', now: NOW, address: 'home', browser: 'Safari' }
  sessions.set('h2', newSession(other))
  sessions.set('h3', newSession({ ...other, id: 's3', operatorId: 'id of ben' }))
  const caller = (await callers.of({ kind: 'cookie', secret: 'cookie' }, { isPersons: true }))!
  assert.deepEqual(await callers.endSession(caller, 's3', 'hut'), { refused: 'session_not_found' })
  assert.deepEqual(await callers.endSession(caller, 's2', 'hut'), { ended: true })
  assert.deepEqual(await callers.endSession(caller, 's1', 'hut'), { ended: true })
  assert.equal(await callers.of({ kind: 'cookie', secret: 'cookie' }, { isPersons: true }), null)
  assert.deepEqual(
    audit.map(({ action, subject }) => [action, subject]),
    [
      ['session.revoked', 's2'],
      ['session.ended', 's1'],
    ],
  )
})

test('a token works until it ends or is revoked', async () => {
  const { store, callers, tokens, audit, time, seen } = site()
  const by = { actor: ANA, address: 'hut', now: NOW }
  const wall = { name: 'Wall', role: 'viewer', applications: null, expiresAt: NOW + 10 * MINUTE } as const
  const added = await addApiToken({ store, ids: countedIds() }, wall, by)
  assert.ok('secret' in added)
  const { secret, token } = added
  assert.match(secret, /^tocsin_[\w-]{43}$/)
  assert.deepEqual([...tokens.keys()], [secretHash(secret)])
  const caller = await callers.of({ kind: 'token', secret }, { isPersons: true })
  assert.ok(caller)
  assert.deepEqual(caller.actor, { kind: 'token', id: token.id, name: 'Wall' })
  assert.deepEqual(caller.grant, { role: 'viewer', applications: null })
  assert.deepEqual(seen, [[token.id, NOW]])
  assert.deepEqual(await callers.sessions(caller), [])
  assert.deepEqual(await callers.endSession(caller, 's1', 'hut'), { refused: 'session_not_found' })
  time.now = token.expiresAt
  assert.equal(await callers.of({ kind: 'token', secret }, { isPersons: true }), null)
  time.now = NOW
  assert.deepEqual(await revokeApiToken({ store }, token.id, by), { revoked: true })
  assert.equal(await callers.of({ kind: 'token', secret }, { isPersons: true }), null)
  assert.deepEqual(await revokeApiToken({ store }, token.id, by), { refused: 'token_not_found' })
  assert.deepEqual(
    audit.map(({ details }) => details.change),
    ['added', 'revoked'],
  )
  assert.doesNotMatch(JSON.stringify(audit), new RegExp(secret))
})

test('every token ends, within four hundred days', async () => {
  const { store } = site()
  const adds = (expiresAt: number) =>
    addApiToken(
      { store, ids: countedIds() },
      { name: 'Script', role: 'admin', applications: null, expiresAt },
      { actor: ANA, address: 'hut', now: NOW },
    )
  const latest = NOW + MAX_TOKEN_MS
  for (const end of [NOW - 1, NOW, latest + 1]) assert.deepEqual(await adds(end), { refused: 'token_end', latest })
  assert.ok('token' in (await adds(latest)))
})
