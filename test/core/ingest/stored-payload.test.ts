import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowPlace } from '../../../src/core/ingest/compact.ts'
import { parseEventTime } from '../../../src/core/ingest/event-time.ts'
import { type Payload, payloadFields, readPayload } from '../../../src/core/ingest/payload.ts'
import { compactIfExact, compactPayload, payloadOf } from '../../../src/core/ingest/stored-payload.ts'
import { effort } from '../../harness/effort.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const TIMESTAMP = '2026-01-01T11:59:58.123456Z'

/** The place of the row that holds a payload received at `NOW`. */
function placeOf(json: Payload): { readonly payload: Payload; readonly row: RowPlace } {
  const { payload, at } = readPayload(json, NOW, 'telemetry')
  const isOwn = [payload.timestamp, payload.occurredAt].includes(at.text)
  return { payload, row: { time: isOwn ? at : null, deviceId: payload.deviceId ?? null } }
}

/** The payload as a row gives it back. `bytes`: the length of the row's payload. */
function stored(json: Payload): { readonly payload: Payload; readonly bytes: number } {
  const { payload, row } = placeOf(json)
  const bytes = compactPayload(payload, row)
  const time = row.time && { ms: row.time.ms, nanos: row.time.nanos }
  return { payload: payloadOf(bytes, { ...row, time }), bytes: bytes.byteLength }
}

const full: Payload = {
  timestamp: TIMESTAMP,
  latitude: 46.123456,
  longitude: 9.654321,
  altitude: 2417.5,
  accuracy: 12.5,
  deviceId: 'a84041000181c7f3',
  deviceBattery: { rawValue: 3.87, range: 'ok' },
  deviceCoverage: { networkType: 'lora', isConnected: true, signalStrength: -101 },
  mobileBattery: 93,
  mobileCoverage: { networkType: 'lte', isConnected: true, signalStrength: -87 },
}

const sizes: readonly [what: string, payload: Payload, most: number][] = [
  ['a payload of all fields', full, 46],
  ['a position', { timestamp: TIMESTAMP, latitude: 46.123456, longitude: 9.654321 }, 20],
  ['a time', { timestamp: TIMESTAMP }, 4],
]

for (const [what, payload, most] of sizes) {
  test(`${what} takes at most ${most} bytes, and comes back`, () => {
    const { bytes, payload: back } = stored(payload)
    assert.deepEqual(back, payload)
    assert.ok(bytes <= most, `${bytes} bytes`)
  })
}

/** The bytes stand in rows that are years old: another result for one of these makes them unreadable. */
const written: readonly [payload: Payload, hex: string][] = [
  [full, '01fd070634c0c9bf02333150930a6f5e097d03128301cb07d6010081655d07d101008157'],
  [
    { timestamp: '2026-01-01T12:59:58+01:00', latitude: -90, longitude: 180 },
    '010d0023323032362d30312d30315431323a35393a35382b30313a3030815a01b4',
  ],
  [
    { occurredAt: '2026-01-01T11:59:58Z', deviceCoverage: { networkType: '6g', signalStrength: 'gut' } },
    '01020100050236670103677574',
  ],
  [{ altitude: 1.7976931348623157e308, mobileBattery: 0, deviceBattery: {} }, '019002787fefffffffffffff0000'],
]

for (const [payload, hex] of written) {
  test(`${JSON.stringify(payload)} is written as ever`, () => {
    const { row, payload: sent } = placeOf(payload)
    assert.equal(Buffer.from(compactPayload(sent, row)).toString('hex'), hex)
    assert.deepEqual(payloadOf(Buffer.from(hex, 'hex'), row), sent)
  })
}

test('the fields come back in the order of the table', () => {
  const { payload } = stored(Object.fromEntries(Object.entries(full).reverse()) as Payload)
  const names = Object.keys(payloadFields).filter((name) => name !== 'occurredAt')
  assert.deepEqual(Object.keys(payload), names)
})

const decimal = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 15 }))
  .map(([digits, fraction]) => Number(`${digits}e-${fraction}`))
const anyNumber = fc.oneof(
  decimal,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, 123456789012345.6),
)
const between = (min: number, max: number) =>
  fc.oneof(
    fc.double({ min, max, noNaN: true }),
    decimal.filter((value) => value >= min && value <= max),
  )
const text = (max: number) =>
  fc.oneof(
    fc.constantFrom('lte', 'LTE', 'lora', 'ok', 'x', '\uFEFFx', '🆘'),
    anyText({ minLength: 1, maxLength: max / 2 }).filter((value) => !/\p{Cc}/u.test(value)),
  )
const instant = fc
  .tuple(
    fc.date({ min: new Date('2019-06-01'), max: new Date('2026-02-01'), noInvalidDate: true }),
    fc.stringMatching(/^(\.\d{1,12})?$/),
    fc.constantFrom('Z', 'Z', 'Z', 'z', '+00:00', '-05:30'),
  )
  .map(([date, fraction, zone]) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`)
const coverage = fc.record(
  { networkType: text(64), isConnected: fc.boolean(), signalStrength: fc.oneof(anyNumber, text(64)) },
  { requiredKeys: [], noNullPrototype: true },
)
const anyPayload = fc.record(
  {
    timestamp: instant,
    occurredAt: instant,
    latitude: between(-90, 90),
    longitude: between(-180, 180),
    altitude: anyNumber,
    accuracy: between(0, 20_000_000),
    deviceId: text(128),
    deviceBattery: fc.record(
      { rawValue: anyNumber, range: fc.constantFrom('critical', 'low', 'medium', 'ok') },
      { requiredKeys: [], noNullPrototype: true },
    ),
    deviceCoverage: coverage,
    mobileBattery: fc.integer({ min: 0, max: 100 }),
    mobileCoverage: coverage,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Payload>

test('every accepted payload comes back from its row as it went in; its JSON text becomes the same bytes', () => {
  fc.assert(
    fc.property(anyPayload, (json) => {
      const { payload, row } = placeOf(json)
      assert.deepEqual(stored(json).payload, payload)
      const text = JSON.stringify(payload)
      const time = row.time && { ms: row.time.ms, nanos: row.time.nanos }
      // JSON has no negative zero.
      const again = compactPayload(JSON.parse(text), row)
      assert.deepEqual(Buffer.from(compactIfExact(text, { ...row, time })!), Buffer.from(again))
    }),
    { numRuns: effort(1_000, 100_000) },
  )
})

test('bytes of another form, cut off, too long, unsound or of another row are refused, and never read beyond their end', () => {
  const { payload, row } = placeOf(full)
  const bytes = compactPayload(payload, row)
  assert.throws(() => payloadOf(Uint8Array.of(2, ...bytes.subarray(1)), row), /the form 2, which this version does not/)
  for (let end = 0; end < bytes.byteLength; end += 1) {
    assert.throws(() => payloadOf(bytes.subarray(0, end), row), /a compact payload is cut off/)
  }
  assert.throws(() => payloadOf(Uint8Array.of(...bytes, 0), row), /goes on behind its end/)
  assert.throws(() => payloadOf(Uint8Array.of(1, 0, 2, 101), row), /an unsound mobileBattery/)
  assert.throws(() => payloadOf(bytes, { ...row, time: null }), /does not fit its row/)
  assert.throws(() => payloadOf(bytes, { ...row, deviceId: null }), /does not fit its row/)
  assert.equal(parseEventTime(TIMESTAMP)?.nanos, 456_000)
})
