import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideBeginPairing,
  decidePair,
  decideRegisterHardware,
  decideTryCode,
} from '../../../src/core/account/decide-pairing.ts'
import { type Device, PAIRING_LOCK_MS, PAIRING_TRIES } from '../../../src/core/account/device.ts'
import { WRONG_CODES } from '../../../src/core/account/pairing-limit.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import { APP, momentAt, OWNER, RELAY } from '../build.ts'

const NOW = momentAt(0)
const THEN = momentAt(-600)

const hardware = { appId: APP, hardwareId: 't-1', codeHash: 'hash', model: 'T-1000', tries: 0, lockedUntil: null }
const registered = { hardwareId: 't-1', codeHash: 'hash', model: 'T-1000' }
const tries = (count: number, lockedUntil: number | null) => ({
  tries: { appId: APP, hardwareId: 't-1', tries: count, lockedUntil },
  result: { registered },
})
const locksAt = NOW + PAIRING_LOCK_MS

for (const [story, given, expected] of [
  ['is counted', {}, tries(1, null)],
  ['that is the last one locks', { tries: PAIRING_TRIES - 1 }, tries(PAIRING_TRIES, locksAt)],
  ['is refused while it is locked', { tries: PAIRING_TRIES, lockedUntil: NOW + 1 }, { refused: 'locked' }],
  ['counts anew after the lock', { tries: PAIRING_TRIES, lockedUntil: NOW }, tries(1, null)],
  [
    'is free of a lock that a clock which ran ahead has set',
    { tries: PAIRING_TRIES, lockedUntil: locksAt + 1 },
    tries(1, null),
  ],
] as const) {
  test(`a try to pair ${story}`, () => assert.deepEqual(decideBeginPairing({ ...hardware, ...given }, NOW), expected))
}

test('a try to pair what is not registered is refused', () => {
  assert.deepEqual(decideBeginPairing(null, NOW), { refused: 'unknown_hardware' })
})

test('a code counts as wrong in advance, and too many of an hour make the user wait', () => {
  const wrong = (count: number) => ({ userId: OWNER, times: Array.from({ length: count }, () => NOW - MINUTE) })
  const one = wrong(WRONG_CODES.ofUser.times - 1)
  const counted = { wrongCodes: { userId: OWNER, times: [...one.times, NOW] }, result: null }
  assert.deepEqual(decideTryCode(one, NOW), counted)
  assert.deepEqual(decideTryCode(wrong(WRONG_CODES.ofUser.times), NOW), { result: HOUR - MINUTE })
})

const given = {
  ...{ id: 'new', appId: APP, userId: OWNER, hardwareId: 't-1', firmwareVersion: '2.0', hardwareModel: null },
  ...{ now: NOW, limit: 2 },
}
const device: Device = {
  ...{ id: 'device', appId: APP, userId: OWNER, hardwareId: 't-1', firmwareVersion: '1.0', hardwareModel: 'T-1000' },
  ...{ pairedAt: THEN, createdAt: THEN, updatedAt: THEN },
}
const free = { tries: { appId: APP, hardwareId: 't-1', tries: 0, lockedUntil: null } }
const situation = { wrongCodes: { userId: OWNER, times: [THEN, NOW - 1] }, paired: null, devices: 1 }
const { now: _now, limit: _limit, ...fields } = given
const created: Device = { ...fields, pairedAt: NOW, createdAt: NOW, updatedAt: NOW }
const again: Device = { ...device, firmwareVersion: '2.0', pairedAt: NOW, updatedAt: NOW }

for (const [story, known, expected] of [
  ['that is new is a device', {}, { insert: created, result: { device: created, created: true } }],
  ['beyond the limit is refused', { devices: 2 }, { result: { refused: 'device_limit' } }],
  [
    'of the same user is updated, also at the limit, and keeps what is not given',
    { paired: device, devices: 2 },
    { update: again, result: { device: again, created: false } },
  ],
  [
    'of another user is refused',
    { paired: { ...device, userId: RELAY } },
    { result: { refused: 'paired_to_another' } },
  ],
] as const) {
  test(`pairing what ${story}; no try counts as wrong any more`, () => {
    assert.deepEqual(decidePair({ ...situation, ...known }, given), { ...free, ...expected })
    const wrongCodes = { userId: OWNER, times: [THEN] }
    const tried = decidePair({ ...situation, ...known }, { ...given, triedAt: NOW - 1 })
    assert.deepEqual(tried, { ...free, wrongCodes, ...expected })
  })
}

const entry = (hardwareId: string, codeHash: string, model: string | null = null) => ({ hardwareId, codeHash, model })
const [colons, plain, dashes] = ['A8:40:41:17:D1:85:12:34', 'a8404117d1851234', 'a8-40-41-17-d1-85-12-34'] as const

for (const [story, known, list, rows] of [
  ['ids as they are', [], [entry('T-1', 'a'), entry('t-1', 'b')], [entry('T-1', 'a'), entry('t-1', 'b')]],
  ['a DevEUI in the spelling of before', [[plain, colons]], [entry(plain, 'a')], [entry(colons, 'a')]],
  [
    'a DevEUI in the spelling that the list has first',
    [],
    [entry(dashes, 'a'), entry(plain, 'b')],
    [entry(dashes, 'b')],
  ],
  ['the later one of two entries, and any model', [], [entry('t', 'a', 'T'), entry('t', 'b')], [entry('t', 'b', 'T')]],
] as const) {
  test(`a list registers ${story}`, () => assert.deepEqual(decideRegisterHardware(new Map(known), list), rows))
}
