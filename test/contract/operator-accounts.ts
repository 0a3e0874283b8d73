import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { type AuditEntry, COMMAND, entry } from '../../src/core/operator/audit.ts'
import type { Operator, OperatorCredentials } from '../../src/core/operator/operator.ts'
import type { NewOperatorPush } from '../../src/core/operator/operator-push.ts'
import type { NewPasskey } from '../../src/core/operator/passkey.ts'
import type { Grant } from '../../src/core/operator/role.ts'
import { secretHash } from '../../src/core/operator/secret.ts'
import { type NewSession, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '../../src/core/operator/session.ts'
import type { Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

export const done = (action: AuditEntry['action'], given: Partial<AuditEntry> = {}): AuditEntry =>
  entry({ at: momentAt(0), actor: COMMAND, action, ...given })

export const operatorCalled = (login: string, given: Partial<Operator> = {}): Operator => ({
  id: randomUUID(),
  login,
  name: login,
  role: 'admin',
  applications: null,
  disabled: false,
  createdAt: momentAt(-10),
  updatedAt: momentAt(-10),
  signedInAt: null,
  ...given,
})

export const CREDENTIALS: OperatorCredentials = {
  passwordHash: 'hash',
  totpSecret: 'aa',
  totpStep: 10,
  recoveryHashes: ['r1', 'r2'],
  knownNetworks: ['n1'],
}

export const sessionOf = (operator: Operator, seconds: number, given: Partial<NewSession> = {}): NewSession => ({
  id: randomUUID(),
  operatorId: operator.id,
  hash: randomUUID(),
  createdAt: momentAt(seconds),
  seenAt: momentAt(seconds),
  expiresAt: momentAt(seconds) + SESSION_ABSOLUTE_MS,
  provedAt: momentAt(seconds),
  address: '192.0.2.1',
  browser: 'Firefox',
  ...given,
})

const passkeyOf = (operator: Operator, id: string, given: Partial<NewPasskey> = {}): NewPasskey => ({
  ...{ id, operatorId: operator.id, name: 'Phone', publicKey: 'pk', counter: 0, host: 'sos.example.org' },
  ...{ synced: false, transports: ['internal'], addedAt: momentAt(2), challengedAt: momentAt(2) },
  ...given,
})

/** Somebody who has accepted an invitation, and the session that it opened. */
export async function settled(store: Store, login: string, given: Partial<Operator> = {}) {
  const operator = operatorCalled(login, given)
  await store.addOperator(operator, done('operator.manage'))
  const hash = randomUUID()
  const invitation = { hash, operatorId: operator.id, totpSecret: 'aa', createdAt: momentAt(0), expiresAt: momentAt(9) }
  await store.invite(invitation, done('operator.manage'))
  const session = sessionOf(operator, 1)
  const accepted = await store.acceptInvitation(hash, CREDENTIALS, session, done('invitation.accepted'))
  assert.deepEqual(accepted, { accepted: true })
  return { operator, session, invitation }
}

const auditOf = async (store: Store) => (await store.auditRows({ after: null, limit: 100 })).items
const actionsOf = async (store: Store) => (await auditOf(store)).map(({ action }) => action)
const unhashed = ({ hash: _hash, ...session }: NewSession) => session

export function operatorAccountContract(subject: StoreUnderTest): void {
  suite('operators', () => {
    test('are found by login, and a login is given once', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const ben = operatorCalled('ben', { role: 'viewer', applications: [application.id] })
      const ana = operatorCalled('ana')
      for (const operator of [ben, ana]) {
        assert.deepEqual(await store.addOperator(operator, done('operator.manage')), { added: true })
      }
      const twice = await store.addOperator(operatorCalled('ana'), done('operator.manage'))
      assert.deepEqual(twice, { refused: 'login_taken' })
      assert.deepEqual(await store.operators(), [ana, ben])
      const none = { passwordHash: null, totpSecret: null, totpStep: 0, recoveryHashes: [], knownNetworks: [] }
      assert.deepEqual(await store.operatorByLogin('ben'), { ...ben, ...none })
      assert.equal(await store.operatorByLogin('eve'), null)
      assert.equal((await auditOf(store)).length, 2, 'a refused change leaves no row')
    })

    test('an invitation works once, and opens the first session', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session, invitation } = await settled(store, 'ana')
      const signedIn = { ...operator, signedInAt: momentAt(1) }
      assert.deepEqual(await store.operatorByLogin('ana'), { ...signedIn, ...CREDENTIALS })
      assert.deepEqual(await store.operatorSession(session.hash), { session: unhashed(session), operator: signedIn })
      assert.equal(await store.operatorInvitation(invitation.hash), null)
      const again = sessionOf(operator, 2)
      const twice = await store.acceptInvitation(invitation.hash, CREDENTIALS, again, done('invitation.accepted'))
      assert.deepEqual(twice, { refused: 'invitation_not_found' })
      assert.equal(await store.operatorSession(again.hash), null)
      assert.deepEqual(await actionsOf(store), ['invitation.accepted', 'operator.manage', 'operator.manage'])
    })

    test('a new invitation replaces the one before, and ends the sessions when it is accepted', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session } = await settled(store, 'ana')
      const invited = (hash: string) =>
        store.invite(
          { hash, operatorId: operator.id, totpSecret: 'bb', createdAt: momentAt(2), expiresAt: momentAt(3) },
          done('operator.manage'),
        )
      await invited('first')
      await invited('second')
      assert.equal(await store.operatorInvitation('first'), null)
      assert.equal((await store.operatorInvitation('second'))?.operator.login, 'ana')
      assert.notEqual(await store.operatorSession(session.hash), null)
      await store.acceptInvitation('second', CREDENTIALS, sessionOf(operator, 4), done('invitation.accepted'))
      assert.equal(await store.operatorSession(session.hash), null)
      assert.equal((await store.operatorSessions(operator.id)).length, 1)
    })

    test('a code opens one session, and each recovery code another', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator } = await settled(store, 'ana')
      const opens = (second: { totpStep: number } | { recoveryHash: string }, passwordHash = 'hash') =>
        store.openSession(sessionOf(operator, 5), { passwordHash, second, network: 'n2' }, 20, done('session.opened'))
      const together = await Promise.all([opens({ totpStep: 11 }), opens({ totpStep: 11 })])
      assert.deepEqual(together.map((one) => 'opened' in one).sort(), [false, true])
      assert.deepEqual(await opens({ recoveryHash: 'r2' }), { opened: true })
      assert.deepEqual(await opens({ recoveryHash: 'r2' }), { refused: 'code_used' })
      assert.deepEqual(await opens({ totpStep: 12 }, 'another'), { refused: 'credentials_changed' })
      const { totpStep, recoveryHashes, knownNetworks } = (await store.operatorByLogin('ana'))!
      assert.deepEqual([totpStep, recoveryHashes, knownNetworks], [11, ['r1'], ['n2', 'n1']])
      assert.equal((await actionsOf(store)).filter((action) => action === 'session.opened').length, 2)
    })

    test('sessions beyond the limit end, used longest ago first, and so do those that are over', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session: first } = await settled(store, 'ana')
      const opens = async (session: NewSession, totpStep: number) => {
        const proof = { passwordHash: 'hash', second: { totpStep }, network: 'n2' }
        assert.deepEqual(await store.openSession(session, proof, 2, done('session.opened')), { opened: true })
        return session
      }
      const second = await opens(sessionOf(operator, 2), 11)
      await store.sessionSeen(first.id, momentAt(9))
      await store.sessionSeen(first.id, momentAt(8))
      const third = await opens(sessionOf(operator, 10), 12)
      assert.equal(await store.operatorSession(second.hash), null)
      const seen = { ...unhashed(first), seenAt: momentAt(9) }
      assert.deepEqual(await store.operatorSessions(operator.id), [unhashed(third), seen])
      const later = await opens(sessionOf(operator, 10 + SESSION_IDLE_MS / 1000), 13)
      assert.deepEqual(await store.operatorSessions(operator.id), [unhashed(later)])
    })

    test('a passkey opens a session for each new challenge, and goes with a reset or an invitation', async (t) => {
      const { store } = await siteIn(subject, t)
      const [{ operator }, { operator: ben }] = [await settled(store, 'ana'), await settled(store, 'ben')]
      const adds = (id: string, given: Partial<NewPasskey> = {}) =>
        store.addPasskey(passkeyOf(operator, id, given), 2, done('passkey.added'))
      assert.deepEqual(await adds('one'), { added: true })
      assert.deepEqual(await adds('one', { operatorId: ben.id }), { refused: 'passkey_taken' })
      assert.deepEqual(await adds('two', { addedAt: momentAt(3) }), { added: true })
      assert.deepEqual(await adds('three'), { refused: 'passkey_limit' })
      assert.deepEqual(await adds('three', { operatorId: randomUUID() }), { refused: 'operator_not_found' })

      const proof = { passkeyId: 'one', counter: 0, synced: true, challengedAt: momentAt(4), network: 'n2' }
      const opens = () => store.openSession(sessionOf(operator, 5), proof, 20, done('session.opened'))
      const together = await Promise.all([opens(), opens()])
      assert.deepEqual(together.map((one) => 'opened' in one).sort(), [false, true])
      const used = { ...passkeyOf(operator, 'one'), boundTo: secretHash('aa'), usedAt: momentAt(5) }
      const first = { ...used, synced: true, challengedAt: momentAt(4) }
      const found = await store.passkey('one')
      assert.deepEqual([found?.passkey, found?.operator.login], [first, 'ana'])
      assert.equal(await store.passkey('three'), null)
      assert.deepEqual(
        (await store.passkeys(null)).map(({ id }) => id),
        ['one', 'two'],
      )
      assert.deepEqual(await store.passkeys(ben.id), [])

      const rename = (owner: Operator) => store.renamePasskey(owner.id, 'one', 'Old phone', done('passkey.renamed'))
      assert.deepEqual(await rename(ben), { refused: 'passkey_not_found' })
      assert.deepEqual(await rename(operator), { renamed: true })
      const renamed = { ...first, name: 'Old phone' }
      assert.deepEqual((await store.passkey('one'))?.passkey, renamed)

      const remove = (owner: Operator) => store.removePasskey(owner.id, 'one', done('passkey.removed'))
      assert.deepEqual(await remove(ben), { refused: 'passkey_not_found' })
      assert.deepEqual(await remove(operator), { removed: renamed })
      assert.deepEqual(await opens(), { refused: 'credentials_changed' })
      assert.deepEqual(await store.resetPasskeys(operator.id, done('operator.manage')), { removed: 1 })
      assert.deepEqual(await store.operatorSessions(operator.id), [])
      assert.deepEqual(await store.resetPasskeys(randomUUID(), done('operator.manage')), {
        refused: 'operator_not_found',
      })

      await adds('four')
      const invitation = { hash: 'again', operatorId: operator.id, totpSecret: 'aa' }
      await store.invite({ ...invitation, createdAt: momentAt(6), expiresAt: momentAt(9) }, done('operator.manage'))
      await store.acceptInvitation('again', CREDENTIALS, sessionOf(operator, 7), done('invitation.accepted'))
      assert.deepEqual(await store.passkeys(null), [])
      const noted = (await actionsOf(store)).filter((action) => action.startsWith('passkey'))
      const twice = ['passkey.added', 'passkey.added']
      assert.deepEqual(noted, ['passkey.added', 'passkey.removed', 'passkey.renamed', ...twice])
    })

    test('Web Push is one a session and endpoint, at most a few an operator, and ends with the session', async (t) => {
      const { store } = await siteIn(subject, t)
      const [{ operator, session }, { operator: ben, session: other }] = [
        await settled(store, 'ana'),
        await settled(store, 'ben'),
      ]
      const pushOf = (owner: Operator, sessionId: string, endpoint: string): NewOperatorPush => ({
        ...{ sessionId, operatorId: owner.id, endpoint, p256dh: 'p', auth: 'a', language: 'de' },
        ...{ wholeText: true, keptAt: momentAt(2) },
      })
      const kept = { kept: true }
      const own = pushOf(operator, session.id, 'one')
      assert.deepEqual(await store.keepOperatorPush(own, 1), kept)
      assert.deepEqual(await store.keepOperatorPush(own, 1), kept, 'its own counts once')
      await store.noteOperatorPush(own, { failure: 'refused', at: momentAt(3) })
      const stored = { ...own, sentAt: null, failedAt: momentAt(3), failure: 'refused' }
      assert.deepEqual(await store.operatorPushes(operator.id), [stored])
      await store.noteOperatorPush(own, { failure: null, at: momentAt(4) })
      await store.noteOperatorPush({ ...own, endpoint: 'before' }, { failure: 'refused', at: momentAt(5) })
      const sent = { ...own, sentAt: momentAt(4), failedAt: null, failure: null }
      assert.deepEqual(await store.operatorPushes(null), [sent])

      const second = sessionOf(operator, 6)
      const proof = { passwordHash: 'hash', second: { totpStep: 11 }, network: 'n2' }
      await store.openSession(second, proof, 20, done('session.opened'))
      const beside = pushOf(operator, second.id, 'two')
      assert.deepEqual(await store.keepOperatorPush(beside, 1), { refused: 'push_limit' })
      assert.deepEqual(await store.keepOperatorPush(beside, 2), kept)
      for (const none of [pushOf(ben, session.id, 'x'), pushOf(operator, randomUUID(), 'x')])
        assert.deepEqual(await store.keepOperatorPush(none, 5), { refused: 'session_not_found' })
      // One browser, signed in as another operator.
      assert.deepEqual(await store.keepOperatorPush(pushOf(ben, other.id, 'one'), 5), kept)
      const left = async () => (await store.operatorPushes(null)).map(({ endpoint }) => endpoint).sort()
      assert.deepEqual(await left(), ['one', 'two'])
      await store.removeOperatorPush(other.id, 'before')
      assert.deepEqual(await left(), ['one', 'two'])
      await store.endSession(operator.id, second.id, done('session.ended'))
      assert.deepEqual(await left(), ['one'])
      await store.updateOperator(ben.id, { disabled: true }, { keepAdmin: false }, done('operator.manage'))
      assert.deepEqual(await left(), [])
    })

    test('a session is proved with a code of its own, once, and others are not', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session } = await settled(store, 'ana')
      const proves = (proof: { passwordHash: string } | { totpStep: number }, id = session.id) =>
        store.proveSession({ id, operatorId: operator.id }, proof, done('session.proved', { at: momentAt(60) }))
      assert.deepEqual(await proves({ passwordHash: 'another' }), { refused: 'credentials_changed' })
      assert.deepEqual(await proves({ passwordHash: 'hash' }, randomUUID()), { refused: 'session_not_found' })
      assert.equal((await store.operatorSession(session.hash))?.session.provedAt, momentAt(1))
      assert.deepEqual(await proves({ totpStep: 11 }), { proved: true })
      assert.deepEqual(await proves({ totpStep: 11 }), { refused: 'code_used' })
      assert.equal((await store.operatorSession(session.hash))?.session.provedAt, momentAt(60))
      assert.equal((await actionsOf(store)).filter((action) => action === 'session.proved').length, 1)
    })

    test('new recovery codes replace those that are left', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator } = await settled(store, 'ana')
      const renewed = await store.replaceRecoveryCodes(operator.id, ['r3'], done('recovery_codes.renewed'))
      assert.deepEqual(renewed, { replaced: true })
      assert.deepEqual((await store.operatorByLogin('ana'))?.recoveryHashes, ['r3'])
      const nobodys = await store.replaceRecoveryCodes(randomUUID(), [], done('recovery_codes.renewed'))
      assert.deepEqual(nobodys, { refused: 'operator_not_found' })
      assert.equal((await actionsOf(store))[0], 'recovery_codes.renewed')
    })

    test('a password is changed once from what it was, and the other sessions end', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session } = await settled(store, 'ana')
      const other = sessionOf(operator, 5)
      const proof = { passwordHash: 'hash', second: { totpStep: 11 }, network: 'n1' }
      await store.openSession(other, proof, 20, done('session.opened'))
      const changes = (from: string, to: string) =>
        store.changePassword(operator.id, { from, to, keptSession: other.id }, done('password.changed'))
      assert.deepEqual(await changes('wrong', 'new'), { refused: 'credentials_changed' })
      assert.equal((await store.operatorSessions(operator.id)).length, 2)
      assert.deepEqual(await changes('hash', 'new'), { changed: true })
      assert.deepEqual(await changes('hash', 'newer'), { refused: 'credentials_changed' })
      assert.equal((await store.operatorByLogin('ana'))?.passwordHash, 'new')
      assert.equal(await store.operatorSession(session.hash), null)
      assert.notEqual(await store.operatorSession(other.hash), null)
      assert.deepEqual((await actionsOf(store)).filter((action) => action === 'password.changed').length, 1)
    })

    test('a session is ended by its owner alone', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session } = await settled(store, 'ana')
      const { operator: other } = await settled(store, 'ben')
      const ends = (operatorId: string) => store.endSession(operatorId, session.id, done('session.ended'))
      assert.deepEqual(await ends(other.id), { refused: 'session_not_found' })
      assert.deepEqual(await ends(operator.id), { ended: true })
      assert.equal(await store.operatorSession(session.hash), null)
      assert.equal((await actionsOf(store)).filter((action) => action === 'session.ended').length, 1)
    })

    test('who is signed in: a session has begun, and neither silence nor time has ended it', async (t) => {
      const { store } = await siteIn(subject, t)
      const [ana, ben] = [await settled(store, 'ana'), await settled(store, 'ben', { role: 'viewer' })]
      const signedIn = async (now: number, since = now) =>
        (await store.operatorsSignedIn(now, since)).map(({ login, role }) => `${login} ${role}`)
      assert.deepEqual(await signedIn(momentAt(0)), [], 'a clock that is behind')
      assert.deepEqual(await signedIn(momentAt(1)), ['ana admin', 'ben viewer'])
      await store.sessionSeen(ana.session.id, momentAt(60))
      const over = momentAt(1) + SESSION_IDLE_MS
      assert.deepEqual([await signedIn(over - 1), await signedIn(over)], [['ana admin', 'ben viewer'], ['ana admin']])
      assert.deepEqual(await signedIn(over + 5, over - 1), ['ana admin', 'ben viewer'], 'lately')
      const seldom = sessionOf(ben.operator, 2, { expiresAt: momentAt(9) })
      const proof = { passwordHash: 'hash', second: { totpStep: 20 }, network: 'n2' }
      await store.openSession(seldom, proof, 1, done('session.opened'))
      assert.deepEqual(await signedIn(momentAt(9)), ['ana admin'])
      await store.endSession(ana.operator.id, ana.session.id, done('session.ended'))
      assert.deepEqual(await signedIn(momentAt(8)), ['ben viewer'])
      await store.updateOperator(ben.operator.id, { disabled: true }, { keepAdmin: false }, done('operator.manage'))
      assert.deepEqual(await signedIn(momentAt(8)), [])
    })

    test('who is disabled is out at once, and back with a new sign-in only', async (t) => {
      const { store } = await siteIn(subject, t)
      const { operator, session } = await settled(store, 'ana')
      const disabling = (disabled: boolean) =>
        store.updateOperator(operator.id, { disabled }, { keepAdmin: false }, done('operator.manage'))
      const disabled = await disabling(true)
      assert.ok('login' in disabled && disabled.disabled)
      assert.equal(await store.operatorSession(session.hash), null)
      const proof = { passwordHash: 'hash', second: { totpStep: 20 }, network: 'n2' }
      const refused = await store.openSession(sessionOf(operator, 3), proof, 20, done('session.opened'))
      assert.deepEqual(refused, { refused: 'credentials_changed' })
      await disabling(false)
      assert.deepEqual(await store.operatorSessions(operator.id), [])
      const nobody = await store.updateOperator('nobody', {}, { keepAdmin: false }, done('operator.manage'))
      assert.deepEqual(nobody, { refused: 'operator_not_found' })
    })

    test('the last admin of the site stays one, however many are about to go', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const { operator: ana } = await settled(store, 'ana')
      const { operator: ben } = await settled(store, 'ben')
      await store.addOperator(operatorCalled('never'), done('operator.manage'))
      await settled(store, 'part', { applications: [application.id] })
      const changes = (operator: Operator, update: Partial<Grant>) =>
        store.updateOperator(operator.id, update, { keepAdmin: true }, done('operator.manage'))
      const together = await Promise.all([
        changes(ana, { role: 'operator' }),
        changes(ben, { applications: [application.id] }),
      ])
      assert.equal(together.filter((one) => 'refused' in one && one.refused === 'last_admin').length, 1)
      const admins = (await store.operators()).filter(
        ({ role, applications, signedInAt }) => role === 'admin' && applications === null && signedInAt !== null,
      )
      assert.equal(admins.length, 1)
    })

    test('tokens are found by their hash until they are revoked', async (t) => {
      const { store } = await siteIn(subject, t)
      const token = (name: string, createdAt: number) => ({
        id: randomUUID(),
        name,
        role: 'viewer' as const,
        applications: null,
        createdBy: 'ana',
        createdAt,
        expiresAt: momentAt(100),
        usedAt: null,
      })
      const [wall, script] = [token('Wall', 1), token('Script', 2)]
      const add = (one: typeof wall) => store.addToken({ ...one, hash: `h-${one.name}` }, 2, done('token.manage'))
      assert.deepEqual([await add(wall), await add(script)], [{ added: true }, { added: true }])
      assert.deepEqual(await add(token('More', 3)), { refused: 'token_limit' })
      await store.apiTokenUsed(wall.id, momentAt(5))
      assert.deepEqual(await store.apiToken('h-Wall'), { ...wall, usedAt: momentAt(5) })
      assert.deepEqual(await store.apiTokens(), [script, { ...wall, usedAt: momentAt(5) }])
      assert.deepEqual(await store.revokeToken(wall.id, done('token.manage')), { revoked: true })
      assert.deepEqual(await store.revokeToken(wall.id, done('token.manage')), { refused: 'token_not_found' })
      assert.equal(await store.apiToken('h-Wall'), null)
      assert.equal((await auditOf(store)).length, 3)
    })

    test('the audit log pages from the newest row, each once', async (t) => {
      const { store } = await siteIn(subject, t)
      const actor = { kind: 'token', id: 'x', name: 'Ürsula "X"' } as const
      const rows = [0, 1, 2, 3, 4].map((n) =>
        entry({
          at: momentAt(-n),
          actor,
          action: 'user.view',
          address: '::1',
          subject: `s${n}`,
          details: { n, of: ['a'] },
        }),
      )
      for (const row of rows) await store.addAuditRow(row)
      const seen: unknown[] = []
      let after: string | null = null
      do {
        const page = await store.auditRows({ after, limit: 2 })
        seen.push(...page.items.map(({ id: _id, ...row }) => row))
        after = page.after
      } while (after !== null)
      assert.deepEqual(seen, rows.toReversed())
      assert.deepEqual(await store.auditRows({ after: 'nonsense', limit: 2 }), {
        items: [],
        after: null,
        badCursor: true,
      })
    })

    test('the audit log is searched by who, what, where, when and a text, and the last backup is found', async (t) => {
      const { store } = await siteIn(subject, t)
      const ana = { kind: 'operator', id: 'ana', name: 'Ana' } as const
      const app = randomUUID()
      for (const [n, given] of [
        { action: 'incident.take_over', actor: ana, appId: app, subject: 'i1', address: '192.0.2.7' },
        { action: 'incident.view', actor: ana },
        { action: 'backup.made', details: { bytes: 7 } },
        { action: 'token.manage', actor: ana, details: { fields: ['Role'] } },
      ].entries()) {
        await store.addAuditRow(
          done(given.action as 'incident.take', { ...given, at: momentAt(n) } as Partial<AuditEntry>),
        )
      }
      const any = { actor: null, actions: null, appId: null, from: null, to: null, text: null }
      const found = async (filter: Partial<typeof any> | Record<string, unknown>) =>
        (await store.auditRows({ after: null, limit: 10 }, { ...any, ...filter })).items.map(({ action }) => action)
      assert.deepEqual(await found({ actor: 'ana' }), ['token.manage', 'incident.view', 'incident.take_over'])
      assert.deepEqual(await found({ actor: 'command' }), ['backup.made'])
      assert.deepEqual(await found({ actions: ['incident.'] }), ['incident.view', 'incident.take_over'])
      assert.deepEqual(await found({ actions: ['incident.take', 'token.'] }), ['token.manage'])
      assert.deepEqual(await found({ appId: app }), ['incident.take_over'])
      assert.deepEqual(await found({ from: momentAt(1), to: momentAt(3) }), ['backup.made', 'incident.view'])
      assert.deepEqual(await found({ text: '192.0' }), ['incident.take_over'])
      assert.deepEqual(await found({ text: 'role' }), ['token.manage'])
      const first = await store.auditRows({ after: null, limit: 1 }, { ...any, actions: ['incident.'] })
      const next = await store.auditRows({ after: first.after, limit: 5 }, { ...any, actions: ['incident.'] })
      assert.deepEqual(
        next.items.map(({ action }) => action),
        ['incident.take_over'],
      )
      assert.deepEqual((await store.lastAudited('backup.made'))?.details, { bytes: 7 })
      assert.equal(await store.lastAudited('test.accepted'), null)
    })

    test('an erased user is forgotten by the audit log, and the row stays', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const other = await anotherUser(store, application.id)
      const about = { appId: application.id, subject: 'an incident of theirs', details: { contactId: 'a contact' } }
      for (const userId of [user.id, other]) await store.addAuditRow(done('incident.resend', { ...about, userId }))
      const before = await auditOf(store)
      assert.deepEqual(
        before.map(({ userId }) => userId),
        [other, user.id],
      )
      assert.deepEqual(await store.eraseUser(application.id, 'hiker-1', 100), { userId: user.id, done: true })
      const [kept, forgotten] = before
      assert.deepEqual(await auditOf(store), [kept, { ...forgotten, userId: null, subject: null, details: {} }])
      // In flight while the user was erased.
      await store.addAuditRow(done('user.view', { appId: application.id, userId: user.id }))
      await store.finishErasure(user.id, momentAt(0))
      assert.deepEqual(
        (await auditOf(store)).map(({ userId }) => userId),
        [null, other, null],
      )
    })

    test('notes and call-backs stay with their incident and go with it', async (t) => {
      const { store, user } = await siteIn(subject, t, { actuators: {} })
      const { id } = incidentOf(await user.presses(0))
      const note = (text: string, at: number) => ({ id: randomUUID(), by: 'Ana', at, text })
      const [second, first] = [note('heli on its way', 2), note('called, no answer', 1)]
      const add = (one: typeof first, incidentId = id) =>
        store.addIncidentNote(incidentId, one, 2, done('incident.note'))
      assert.deepEqual([await add(second), await add(first)], [{ added: true }, { added: true }])
      assert.deepEqual(await add(note('more', 3)), { refused: 'note_limit' })
      // Its answer was lost on the way.
      assert.deepEqual(await add(first), { added: true })
      assert.deepEqual(await add(note('x', 1), 'nowhere'), { refused: 'incident_not_found' })
      assert.deepEqual(await store.incidentNotes(id), [first, second])
      // At the same moment, over several connections where the store has them.
      const race = await Promise.all(
        [5, 6, 7, 8].map((at) => store.addIncidentNote(id, note('r', at), 3, done('incident.note'))),
      )
      assert.deepEqual(race.map((one) => 'added' in one).filter(Boolean), [true])
      const ticks = (contactId: string | null, by: string) =>
        store.tickCalledBack(id, { contactId, by, at: 4 }, done('incident.called_back'))
      for (const by of ['Ana', 'Ben']) assert.deepEqual(await ticks(null, by), { ticked: true })
      await ticks('c1', 'Ben')
      const ticked = [
        { contactId: null, by: 'Ana', at: 4 },
        { contactId: 'c1', by: 'Ben', at: 4 },
      ]
      assert.deepEqual(await store.calledBackTicks(id), ticked)
      const nowhere = await store.tickCalledBack(
        'nowhere',
        { contactId: null, by: 'x', at: 1 },
        done('incident.called_back'),
      )
      assert.deepEqual(nowhere, { refused: 'incident_not_found' })
      assert.equal((await auditOf(store)).length, 5)
      await user.does(5, { type: 'cancel' } as never)
      await store.deleteExpired('incidents', { before: momentAt(1e6), max: 1000, from: '' })
      assert.deepEqual(await store.incidents({ openOnly: false }), [])
      assert.deepEqual([await store.incidentNotes(id), await store.calledBackTicks(id)], [[], []])
      assert.equal((await auditOf(store)).length, 5)
    })
  })
}

/** Another user of the application. Returns the id. */
async function anotherUser(store: Store, appId: string): Promise<string> {
  return (await store.ensureUser({ appId, externalUserId: 'hiker-2', id: randomUUID(), now: momentAt(-900) })).id
}
