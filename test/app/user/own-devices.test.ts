import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDevices } from '../../../src/app/user/own-devices.ts'
import { WRONG_CODES } from '../../../src/core/account/pairing-limit.ts'
import { HOUR } from '../../../src/lib/durations.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
/** For removals. */
const unused = { door: { change: () => Promise.reject() }, news: () => Promise.reject() }
const silent = { info() {}, warn() {}, error() {} }

/** Where every user may try as often as they like, and `right` is the only code. */
function pairing() {
  const time = { now: NOW }
  const store = {
    tryCode: async () => null,
    beginPairing: async () => ({ registered: { hardwareId: 'hw', codeHash: 'right', model: null } }),
    pair: async () => ({ refused: 'device_limit' }),
  } as unknown as Parameters<typeof ownDevices>[0]['store']
  const codes = {
    matches: async (code: string, hash: string | null) => code === hash,
    make: () => '',
    hash: async () => '',
  }
  const ids = { uuid: () => 'id' } as Parameters<typeof ownDevices>[0]['ids']
  const clock = { now: () => time.now } as Parameters<typeof ownDevices>[0]['clock']
  const devices = ownDevices({ ...{ store, codes, clock, ids, log: silent, devicesPerUser: 10 }, ...unused })
  const session = { appId: 'app', userId: 'mia' } as Parameters<typeof devices.pair>[0]
  return {
    time,
    pair: (address: string, pairingCode: string) => devices.pair(session, { hardwareId: 'hw', pairingCode }, address),
  }
}

// access.md#pairing
test('an address has its own count of wrong codes, of which right ones are no part', async () => {
  const { pair, time } = pairing()
  for (let n = 0; n < WRONG_CODES.ofAddress.times; n += 1) {
    assert.deepEqual(await pair('a', 'wrong'), { refused: 'pairing_refused' })
    assert.deepEqual(await pair('b', 'right'), { refused: 'device_limit' })
  }
  const tooMany = { refused: 'too_many_codes', retryAfterMs: HOUR }
  assert.deepEqual([await pair('a', 'wrong'), await pair('a', 'right')], [tooMany, tooMany])
  assert.deepEqual(await pair('b', 'wrong'), { refused: 'pairing_refused' })
  time.now += HOUR
  assert.deepEqual(await pair('a', 'right'), { refused: 'device_limit' })
})
