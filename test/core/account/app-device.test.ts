import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AppDevice,
  appCredentialOf,
  decideRemoveDevice,
  isCredential,
  REMOVAL_MS,
  removalFrom,
} from '../../../src/core/account/app-device.ts'
import { userHash } from '../../../src/core/account/user-hash.ts'

const given = { invitation: 'inv_a', key: 'k' }

test('a credential is the same for the same salt, invitation and key only', () => {
  const credential = appCredentialOf('salt', given)
  assert.ok(isCredential(credential))
  assert.equal(appCredentialOf('salt', given), credential)
  const others = [
    appCredentialOf('other', given),
    appCredentialOf('salt', { ...given, key: 'l' }),
    appCredentialOf('salt', { ...given, invitation: 'inv_b' }),
  ]
  assert.equal(new Set([credential, ...others]).size, 4)
})

test('nothing else has the form of a credential', () => {
  const credential = appCredentialOf('salt', given)
  for (const text of ['', 'dev_', userHash('a', 'b'), `${credential}A`, credential.slice(0, -1), `${credential}\n`]) {
    assert.equal(isCredential(text), false, text)
  }
})

test('a removal takes effect after 72 hours, but at once for the own device and for a new one', () => {
  const device = (id: string, enrolledAt: number, isByOperator = false) => ({ id, enrolledAt, isByOperator })
  const old = device('old', 0)
  for (const [what, asks, at, expected] of [
    [old, old, 5 * REMOVAL_MS, 5 * REMOVAL_MS],
    [device('other', 1), old, 5 * REMOVAL_MS, 6 * REMOVAL_MS],
    // Added just now, perhaps by somebody who had the phone for a minute.
    [device('new', 100), old, 100 + REMOVAL_MS - 1, 100 + REMOVAL_MS - 1],
    [device('new', 100), old, 100 + REMOVAL_MS, 100 + 2 * REMOVAL_MS],
    // What an operator gives to a person whose old one is in other hands.
    [device('given', 100, true), old, 200, 200 + REMOVAL_MS],
    // And that one does not throw out those that were there before.
    [old, device('new', 100), 200, 200 + REMOVAL_MS],
    [device('same', 100), device('new', 100), 200, 200 + REMOVAL_MS],
  ] as const) {
    assert.equal(removalFrom(what, asks, at), expected, `${what.id} by ${asks.id} at ${at}`)
  }
})

test('the earliest removal asked for counts, null takes it back, and only one that is due removes', () => {
  const device: AppDevice = {
    ...{ id: 'd', userId: 'u', invitationId: 'i', name: 'Phone', hash: 'h', keyHash: 'k', salt: 's' },
    ...{ enrolledAt: 0, usedAt: null, removedFrom: null },
  }
  const NOW = 100
  for (const [before, from, removedFrom, kind] of [
    [null, 101, 101, 'update'],
    [101, 105, 101, 'update'],
    [105, 101, 101, 'update'],
    [105, null, null, 'update'],
    [null, null, null, 'update'],
    [null, 100, 100, 'remove'],
    [99, 105, 99, 'remove'],
  ] as const) {
    const decided = decideRemoveDevice({ ...device, removedFrom: before }, from, NOW)
    const result = { ...device, removedFrom }
    assert.deepEqual(decided, { [kind]: result, result }, `${before}, ${from}`)
  }
  assert.deepEqual(decideRemoveDevice(null, 100, NOW), { refused: 'app_device_not_found' })
})
