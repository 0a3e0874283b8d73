import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterSignIn,
  type OperatorCredentials,
  type SecondFactor,
  secondFactorOf,
} from '../../../src/core/operator/operator.ts'
import { loginField } from '../../../src/core/operator/operator-schema.ts'
import { weaknessOf } from '../../../src/core/operator/password.ts'
import { recoveryHash } from '../../../src/core/operator/secret.ts'
import { endOf, hasEnded, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '../../../src/core/operator/session.ts'
import { stepAt, totpCode } from '../../../src/core/operator/totp.ts'

test('a login is compared in lower case and has no odd characters', () => {
  assert.equal(loginField.parse(' Ana.Huber@example.org '), 'ana.huber@example.org')
  for (const wrong of ['', ' ', 'ana huber', 'añа', '-ana', '<b>', `a${'b'.repeat(254)}`]) {
    assert.equal(loginField.safeParse(wrong).success, false, wrong)
  }
})

test('a password is long, and more than the name and a few characters', () => {
  const who = { login: 'ana.huber@example.org', name: 'Ana Huber' }
  const good = ['correct horse battery', 'lärche-nebel-funk', 'q9$Wz7!pLx2&']
  for (const password of good) assert.equal(weaknessOf(password, who), null, password)
  const table = [
    ['elevenchars', /at least 12/],
    ['aaaaaaaaaaaaaaaa', /too easy/],
    ['121212121212', /too easy/],
    ['ana.huber@example.org', /too easy/],
    ['AnaHuber1234', /too easy/],
    ['tocsinpassword1', /too easy/],
    ['x'.repeat(201), /at most 200/],
  ] as const
  for (const [password, why] of table) assert.match(weaknessOf(password, who) ?? 'accepted', why, password)
})

test('a session ends by idling, by age, and where its beginning cannot be right', () => {
  const session = { createdAt: 1000, seenAt: 5000, expiresAt: 1000 + SESSION_ABSOLUTE_MS }
  assert.equal(endOf(session), 5000 + SESSION_IDLE_MS)
  assert.equal(hasEnded(session, endOf(session) - 1), false)
  assert.equal(hasEnded(session, endOf(session)), true)
  const used = { ...session, seenAt: session.expiresAt - 1 }
  assert.equal(hasEnded(used, session.expiresAt - 1), false)
  assert.equal(hasEnded(used, session.expiresAt), true)
  const ahead = { createdAt: 1e12, seenAt: 1e12, expiresAt: 1e12 + SESSION_ABSOLUTE_MS }
  assert.equal(hasEnded(ahead, 1e12 - 1000), false, 'a small step of the clock')
  assert.equal(hasEnded(ahead, 1e12 - SESSION_IDLE_MS), true)
})

const credentials: OperatorCredentials = {
  passwordHash: 'h',
  totpSecret: Buffer.from('12345678901234567890').toString('hex'),
  totpStep: 10,
  recoveryHashes: ['a', 'b'],
  knownNetworks: ['hut'],
}

test('a code or a recovery code is used up by one sign-in', () => {
  const known = { knownNetworks: ['home', 'hut'] }
  const signsIn = (used: SecondFactor) => afterSignIn(credentials, used, 'home')
  assert.deepEqual(signsIn({ totpStep: 11 }), { ...credentials, ...known, totpStep: 11 })
  assert.equal(signsIn({ totpStep: 10 }), null)
  assert.deepEqual(signsIn({ recoveryHash: 'a' }), { ...credentials, ...known, recoveryHashes: ['b'] })
  assert.equal(signsIn({ recoveryHash: 'c' }), null)
})

test('a step that was noted by a clock that ran ahead keeps nobody out', () => {
  const ahead = { ...credentials, totpStep: 1_000_000 }
  assert.equal(afterSignIn(ahead, { totpStep: 11 }, 'hut')?.totpStep, 11)
  assert.equal(afterSignIn({ ...credentials, totpStep: 12 }, { totpStep: 11 }, 'hut'), null)
})

test('the networks where an operator signed in are known, the last eight of them', () => {
  const networks = ['1', '2', '3', '4', '5', '6', '7', '2', '8', '9']
  const after = networks.reduce<OperatorCredentials>(
    (before, network, n) => afterSignIn(before, { totpStep: 11 + n }, network)!,
    credentials,
  )
  assert.deepEqual(after.knownNetworks, ['9', '8', '2', '7', '6', '5', '4', '3'])
})

test('what is typed as the code is one of the app or a recovery code', () => {
  const now = 1_234_567_890_000
  const code = totpCode(Buffer.from(credentials.totpSecret!, 'hex'), stepAt(now))
  const recovery = 'ABCD-EFGH-IJKL-MNOP'
  const known = { ...credentials, recoveryHashes: [recoveryHash(recovery)] }
  assert.deepEqual(secondFactorOf(known, code, now), { totpStep: stepAt(now) })
  for (const typed of [recovery, ' abcd efgh ijkl mnop', 'abcdefghijklmnop']) {
    assert.deepEqual(secondFactorOf(known, typed, now), { recoveryHash: recoveryHash(recovery) }, typed)
  }
  for (const typed of ['', '000000', 'ABCD-EFGH-IJKL-MNOQ'])
    assert.equal(secondFactorOf(known, typed, now), null, typed)
  assert.equal(secondFactorOf({ ...known, totpSecret: null }, recovery, now), null, 'before the first sign-in')
})
