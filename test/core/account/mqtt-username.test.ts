import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExternalUserId, parseMqttUsername } from '../../../src/core/account/mqtt-username.ts'

test('a user name is split at its first two colons; an external id may contain more', () => {
  for (const externalUserId of ['mia', 'team:7:mia', ':', 'line\nbreak', '']) {
    assert.deepEqual(parseMqttUsername(`sdk:app:${externalUserId}`), { appId: 'app', externalUserId })
  }
  for (const username of ['', 'mia', 'sdk', 'sdk:app', 'app:sdk:mia', 'SDK:app:mia']) {
    assert.equal(parseMqttUsername(username), null, username)
  }
})

test('an external id has 1 to 128 characters, without control characters or lone surrogates', () => {
  for (const id of ['m', 'x'.repeat(128), '🏔'.repeat(128), 'team:7']) assert.equal(isExternalUserId(id), true, id)
  for (const id of ['', 'x'.repeat(129), 'line\nbreak', '\u0000', '\ud83c']) assert.equal(isExternalUserId(id), false)
})
