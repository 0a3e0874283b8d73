import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords } from '../../../../src/adapters/platform/system/passwords.ts'

test('a password matches its own hash, however its letters are composed, and no other', async () => {
  const passwords = createPasswords()
  const [hash, other] = await Promise.all([
    passwords.hash('l\u00e4rche und nebel'),
    passwords.hash('l\u00e4rche und nebel'),
  ])
  assert.match(hash, /^scrypt:32768:8:3:[0-9a-f]{32}:[0-9a-f]{64}$/)
  assert.notEqual(hash, other, 'salted')
  assert.equal(await passwords.matches('la\u0308rche und nebel', hash), true)
  assert.equal(await passwords.matches('Lärche und nebel', hash), false)
  assert.equal(await passwords.matches('', null), false)
})

test('a hash of another cost still matches', async () => {
  const cheap = 'scrypt:16:1:1:73616c74:'
  const { scryptSync } = await import('node:crypto')
  const key = scryptSync('secret words', Buffer.from('salt'), 32, { N: 16, r: 1, p: 1 }).toString('hex')
  const passwords = createPasswords()
  assert.equal(await passwords.matches('secret words', `${cheap}${key}`), true)
  assert.equal(await passwords.matches('other words', `${cheap}${key}`), false)
})

test('a hash that cannot be read fails its own check and not the next', async () => {
  const passwords = createPasswords()
  const [broken, next] = await Promise.allSettled([
    passwords.matches('x', 'scrypt:0:0:0:00:00'),
    passwords.matches('x', 'scrypt:16:1:1:00:00'),
  ])
  assert.deepEqual([broken.status, next.status], ['rejected', 'rejected'])
  assert.equal(await passwords.matches('x', null), false)
})
