import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperatorCredentials, withFactorUsed } from '../../../src/core/operator/operator.ts'
import { loginField } from '../../../src/core/operator/operator-schema.ts'
import { weaknessOf } from '../../../src/core/operator/password.ts'
import { endOf, hasEnded, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '../../../src/core/operator/session.ts'

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

test('a code or a recovery code is used up by one sign-in', () => {
  const before: OperatorCredentials = { passwordHash: 'h', totpSecret: 's', totpStep: 10, recoveryHashes: ['a', 'b'] }
  assert.deepEqual(withFactorUsed(before, { totpStep: 11 }), { ...before, totpStep: 11 })
  assert.equal(withFactorUsed(before, { totpStep: 10 }), null)
  assert.deepEqual(withFactorUsed(before, { recoveryHash: 'a' }), { ...before, recoveryHashes: ['b'] })
  assert.equal(withFactorUsed(before, { recoveryHash: 'c' }), null)
})
