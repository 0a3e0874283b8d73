import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingSecret, userHash } from '../../../src/core/account/user-hash.ts'

const older = { id: 1, secret: 'the older secret' }
const newer = { id: 2, secret: 'the newer secret' }
const both = [older, newer]

test('the user hash is lower-case hex HMAC-SHA256, as any backend computes it', () => {
  // printf %s 'hiker-1' | openssl dgst -sha256 -hmac 'key'
  assert.equal(userHash('key', 'hiker-1'), 'd0a58af11a14d2fc11518faa1ca984bbddd04c0e9a9cbcccc3c758fc35f1c884')
  // RFC 4231, test case 2
  assert.equal(
    userHash('Jefe', 'what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

test('key and message are used as UTF-8', () => {
  // printf %s 'Jörg:ü' | openssl dgst -sha256 -hmac 'schlüssel'
  assert.equal(userHash('schlüssel', 'Jörg:ü'), 'b1fcef6bfa9e119572957b6e02aac483d08e1a466dd13291307c46a8f03369e9')
})

test('each of two secrets admits, and the match says which one', () => {
  assert.equal(matchingSecret(both, 'hiker-1', userHash(older.secret, 'hiker-1')), older)
  assert.equal(matchingSecret(both, 'hiker-1', userHash(newer.secret, 'hiker-1')), newer)
})

test('upper-case and mixed-case hex is accepted', () => {
  const hash = userHash(newer.secret, 'hiker-1')
  assert.equal(matchingSecret(both, 'hiker-1', hash.toUpperCase()), newer)
  assert.equal(matchingSecret(both, 'hiker-1', hash.slice(0, 32) + hash.slice(32).toUpperCase()), newer)
})

const hash = userHash(older.secret, 'hiker-1')
for (const [what, wrong] of [
  ['nothing', ''],
  ['one digit less', hash.slice(1)],
  ['one digit more', `${hash}0`],
  ['another last digit', hash.slice(0, -1) + (hash.endsWith('0') ? '1' : '0')],
  ['the hash of another user', userHash(older.secret, 'hiker-2')],
  ['the hash under a third secret', userHash('the oldest secret', 'hiker-1')],
  ['no hex', 'z'.repeat(64)],
  ['a trailing space', `${hash} `],
  ['a trailing line break', `${hash}\n`],
  ['a letter that lower-cases to a digit of none', `${hash.slice(0, -1)}İ`],
  ['zeros', '0'.repeat(64)],
  ['the secret itself', older.secret],
  ['a very long text', 'a'.repeat(1_000_000)],
] as const) {
  test(`no secret matches ${what}`, () => {
    assert.equal(matchingSecret(both, 'hiker-1', wrong), null)
  })
}

test('without a secret nothing matches', () => {
  assert.equal(matchingSecret([], 'hiker-1', hash), null)
})
