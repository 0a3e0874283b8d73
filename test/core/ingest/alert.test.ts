import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertFrom } from '../../../src/core/ingest/alert.ts'
import fc from '../../harness/fast-check.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const timestamp = '2026-01-01T11:59:58.123456789Z'
const fingerprintOf = (json: object): string | null => alertFrom(json as Record<string, unknown>, NOW).fingerprint

test('an alert keeps the valid fields, when it was pressed and when it arrived', () => {
  assert.deepEqual(alertFrom({ timestamp, mobileBattery: 7, heartRate: 180 }, NOW), {
    payload: { timestamp, mobileBattery: 7 },
    at: { text: timestamp, ms: Date.UTC(2026, 0, 1, 11, 59, 58, 123), nanos: 456_789 },
    receivedAt: NOW,
    warnings: [],
    fingerprint: fingerprintOf({ timestamp, mobileBattery: 7, heartRate: 180 }),
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
  ['one more part inside', { ...base, deviceBattery: { rawValue: 3.7, range: 'ok', rawUnit: 'V' } }],
  ['an additional unknown field', { ...base, heartRate: 180 }],
  ['a number as text', { ...base, mobileBattery: '50' }],
  ['a bad value of a field', { ...base, mobileBattery: 101 }],
  ['the same instant in another field', { ...base, timestamp: undefined, occurredAt: timestamp }],
  ['a second time', { ...base, occurredAt: timestamp }],
  ['a different second time', { ...base, occurredAt: '2026-01-01T11:00:00Z' }],
]
const json = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value))

for (const [what, other] of different) {
  test(`is not the same alert: ${what}`, () => {
    assert.notEqual(fingerprintOf(json(other)), fingerprintOf(json(base)))
  })
}

test('two different bad values of a field count as different', () => {
  assert.notEqual(fingerprintOf({ ...base, mobileBattery: 101 }), fingerprintOf({ ...base, mobileBattery: 102 }))
  assert.notEqual(
    fingerprintOf({ ...base, occurredAt: 'garbage' }),
    fingerprintOf({ ...base, occurredAt: 'other garbage' }),
  )
  assert.notEqual(fingerprintOf(JSON.parse('{"altitude":1e999}')), fingerprintOf(JSON.parse('{"altitude":-1e999}')))
})

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
]

for (const [what, text] of same) {
  test(`is the same alert: ${what}`, () => {
    assert.equal(fingerprintOf(JSON.parse(text)), fingerprintOf(base))
  })
}

test('alerts too deeply nested to compare are never the same', () => {
  const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  assert.equal(fingerprintOf(deep), null)
})

test('any object makes an alert, and the same object the same fingerprint', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (fields) => {
      assert.equal(fingerprintOf(fields), fingerprintOf(structuredClone(fields)))
    }),
  )
})

test('objects with different fields or values have different fingerprints', () => {
  const small = fc.dictionary(fc.constantFrom('a', 'b', 'timestamp'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  fc.assert(
    fc.property(small, small, (a, b) => {
      // Compares as JSON does. The generated values avoid -0 and different spellings of one instant.
      const told = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      let equal = true
      try {
        assert.deepStrictEqual(told(a), told(b))
      } catch {
        equal = false
      }
      if (!equal) assert.notEqual(fingerprintOf(a), fingerprintOf(b))
    }),
  )
})
