import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertFrom } from '../../../src/core/ingest/alert.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const timestamp = '2026-01-01T11:59:58.123456789Z'
const json = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value))
const former = (sent: object) => alertFrom(json(sent), NOW).formerFingerprint
const fingerprintOf = (json: object): string | null => alertFrom(json as Record<string, unknown>, NOW).fingerprint

test('an alert keeps the valid fields, when it was pressed and when it arrived', () => {
  assert.deepEqual(alertFrom({ timestamp, mobileBattery: 7, heartRate: 180 }, NOW), {
    payload: { timestamp, mobileBattery: 7 },
    at: { text: timestamp, ms: Date.UTC(2026, 0, 1, 11, 59, 58, 123), nanos: 456_789 },
    receivedAt: NOW,
    sentAt: { text: timestamp, ms: Date.UTC(2026, 0, 1, 11, 59, 58, 123), nanos: 456_789 },
    warnings: [],
    fingerprint: fingerprintOf({ timestamp, mobileBattery: 7 }),
    formerFingerprint: former({ timestamp, mobileBattery: 7, heartRate: 180 }),
    fieldNames: alertFrom(json({ timestamp: 1, heartRate: 2, mobileBattery: null }), NOW).fieldNames,
  })
})

test('a bad field becomes a warning and never costs the alarm', () => {
  const { payload, warnings } = alertFrom({ timestamp, mobileBattery: 101, latitude: 47 }, NOW)
  assert.deepEqual(payload, { timestamp })
  assert.deepEqual(warnings.map(({ field }) => field).sort(), ['latitude', 'longitude', 'mobileBattery'])
})

test('an alert without a time happened when it arrived, and says so', () => {
  const { at, warnings } = alertFrom({}, NOW)
  assert.equal(at.ms, NOW)
  assert.deepEqual(
    warnings.map(({ field }) => field),
    ['timestamp'],
  )
})

test('an alert dated ahead happened when it arrived, and says so', () => {
  const { at, warnings } = alertFrom({ timestamp: '2026-01-01T12:06:00Z' }, NOW)
  assert.equal(at.ms, NOW)
  assert.deepEqual(
    warnings.map(({ field }) => field),
    ['timestamp'],
  )
})

// rules.md#identity: after closing, only an alert with the same fields and values is a repeat; anything else opens a
// new incident.
const base = { timestamp, mobileBattery: 50, deviceBattery: { rawValue: 3.7, range: 'ok' } }
const different: readonly [what: string, json: object][] = [
  ['another value', { ...base, mobileBattery: 51 }],
  ['a field more', { ...base, altitude: 0 }],
  ['a field less', { timestamp, mobileBattery: 50 }],
  ['another value inside', { ...base, deviceBattery: { rawValue: 3.7, range: 'low' } }],
  ['a number as text', { ...base, mobileBattery: '50' }],
  ['a bad value of one that was good', { ...base, mobileBattery: 101 }],
  ['the same instant in another field', { ...base, timestamp: undefined, occurredAt: timestamp }],
  ['a second time', { ...base, occurredAt: timestamp }],
  ['a different second time', { ...base, occurredAt: '2026-01-01T11:00:00Z' }],
]

for (const [what, other] of different) {
  test(`is not the same alert: ${what}`, () => {
    assert.notEqual(fingerprintOf(json(other)), fingerprintOf(json(base)))
  })
}

const same: readonly [what: string, json: string][] = [
  [
    'the keys in another order',
    `{"deviceBattery":{"range":"ok","rawValue":3.7},"mobileBattery":50,"timestamp":"${timestamp}"}`,
  ],
  [
    'the numbers written differently',
    `{"timestamp":"${timestamp}","mobileBattery":5e1,"deviceBattery":{"rawValue":3.70,"range":"ok"}}`,
  ],
  [
    'the instant written in another zone',
    '{"timestamp":"2026-01-01T12:59:58.123456789+01:00","mobileBattery":50,"deviceBattery":{"rawValue":3.7,"range":"ok"}}',
  ],
  ...(
    [
      ['an unknown key', { heartRate: 180 }],
      ['a deep unknown key', { deep: JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`) }],
      ['null for a field', { altitude: null }],
      ['a bad value of another field', { altitude: 'high' }],
      ['the three ignored keys', { userId: 'u', originalDeviceId: 'd', reportingDeviceId: 'r' }],
      ['silent', { silent: true }],
      ['one more part inside', { deviceBattery: { ...base.deviceBattery, rawUnit: 'V' } }],
    ] as const
  ).map(([what, more]): [string, string] => [`with ${what}`, JSON.stringify({ ...base, ...more })]),
]

for (const [what, text] of same) {
  test(`is the same alert: ${what}`, () => {
    assert.equal(fingerprintOf(JSON.parse(text)), fingerprintOf(base))
  })
}

test('is the same alert: the device in another spelling of its DevEUI', () => {
  const from = (deviceId: string) => fingerprintOf({ ...base, deviceId })
  assert.equal(from('A8-40-41-17-D1-85-12-34'), from('a8404117d1851234'))
  assert.notEqual(from('A8-40-41-17-D1-85-12-34'), from('a8404117d1851235'))
  assert.notEqual(from('T-1'), from('t-1'))
})

test('as the version before compared alerts, everything takes part but silent', () => {
  assert.equal(former({ ...base, silent: true }), former(base))
  for (const more of [{ heartRate: 180 }, { altitude: null }, { userId: 'u' }, { mobileBattery: 101 }]) {
    assert.notEqual(former({ ...base, ...more }), former(base), JSON.stringify(more))
  }
  const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  assert.equal(alertFrom(deep, NOW).formerFingerprint, null, 'too deep to compare: never the same')
})

test('any object makes an alert, and the same object the same fingerprint', () => {
  fc.assert(
    fc.property(fc.dictionary(anyText(), fc.jsonValue()), (fields) => {
      assert.equal(fingerprintOf(fields), fingerprintOf(structuredClone(fields)))
    }),
  )
})

test('objects with different accepted fields or values have different fingerprints', () => {
  const battery = fc.integer({ min: 0, max: 100 })
  const small = fc.record(
    { mobileBattery: battery, altitude: fc.integer(), deviceBattery: fc.record({ rawValue: fc.integer() }) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(small, small, (a, b) => {
      const isSame = JSON.stringify(a) === JSON.stringify(b)
      assert.equal(fingerprintOf({ timestamp, ...a }) === fingerprintOf({ timestamp, ...b }), isSame)
    }),
  )
})
