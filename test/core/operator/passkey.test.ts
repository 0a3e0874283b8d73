import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHALLENGE_MS, challengeMoment, challengeOf, passkeyPlace } from '../../../src/core/operator/passkey.ts'

const NOW = Date.UTC(2026, 0, 1, 3)
const KEY = Buffer.alloc(32, 1)
const RANDOM = Buffer.alloc(32, 7).toString('base64url')

test('a challenge counts for its purpose, for five minutes, with the key of the site', () => {
  const challenge = challengeOf(KEY, 'sign-in', NOW, RANDOM)
  const at = (now: number) => challengeMoment(KEY, 'sign-in', challenge, now)
  assert.deepEqual([at(NOW), at(NOW + CHALLENGE_MS - 1), at(NOW - 2000)], [NOW, NOW, NOW])
  assert.deepEqual([at(NOW + CHALLENGE_MS), at(NOW - 2001)], [null, null])
  assert.equal(challengeMoment(KEY, 'add a', challenge, NOW), null)
  assert.equal(challengeMoment(Buffer.alloc(32, 2), 'sign-in', challenge, NOW), null)
  const later = Buffer.from(challenge, 'base64url')
  later.writeBigUInt64BE(BigInt(NOW + 1))
  for (const forged of [later.toString('base64url'), '', 'A', challenge.slice(2), `${challenge}AAAA`, '\0']) {
    assert.equal(challengeMoment(KEY, 'sign-in', forged, NOW), null, forged)
  }
})

for (const [publicUrl, expected] of [
  ['https://sos.example.org', { origin: 'https://sos.example.org', host: 'sos.example.org' }],
  ['https://sos.example.org:8443', { origin: 'https://sos.example.org:8443', host: 'sos.example.org' }],
  ['https://sos.example.org/path', { origin: 'https://sos.example.org', host: 'sos.example.org' }],
  ['http://localhost:8080', { origin: 'http://localhost:8080', host: 'localhost' }],
  ['http://sos.example.org', { refused: 'not_https' }],
  ['https://192.0.2.7:8443', { refused: 'no_name' }],
  ['https://[2001:db8::1]', { refused: 'no_name' }],
  ['http://127.0.0.1:8080', { refused: 'no_name' }],
  ['', { refused: 'no_address' }],
  ['sos', { refused: 'no_address' }],
] as const) {
  test(`passkeys at ${publicUrl || 'no address'}`, () => assert.deepEqual(passkeyPlace(publicUrl), expected))
}
