import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEventTime } from '../../../src/core/ingest/event-time.ts'
import { isJsonObject } from '../../../src/core/ingest/json.ts'
import { payloadFields, readPayload } from '../../../src/core/ingest/payload.ts'
import { positionOf } from '../../../src/core/ingest/position.ts'
import { effort } from '../../harness/effort.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const ARRIVAL = { text: '2026-01-01T12:00:00.000Z', ms: NOW, nanos: 0 }
const timestamp = '2026-01-01T11:59:58.123456789Z'

const read = (fields: object) => readPayload({ timestamp, ...fields }, NOW, 'telemetry')
/** As a caller sends it: parsed from JSON text. */
const readJson = (json: string) => readPayload(JSON.parse(json), NOW, 'telemetry')
const fieldsOf = (problems: readonly { readonly field: string }[]): string[] =>
  problems.map(({ field }) => field).sort()

// protocol.md#payload, row by row.
const good: readonly [what: string, fields: Record<string, unknown>][] = [
  ['nothing but the time', {}],
  ['both times', { occurredAt: '2026-01-01T11:59:00+01:00' }],
  ['a position without altitude', { latitude: 47.07, longitude: 15.44 }],
  ['a position with altitude', { latitude: 47.07, longitude: 15.44, altitude: 1_753.5 }],
  ['a whole-numbered position', { latitude: 47, longitude: 15, altitude: 0 }],
  ['the null island', { latitude: 0, longitude: 0 }],
  ['the edges of the world', { latitude: -90, longitude: 180 }],
  ['the other edges of the world', { latitude: 90, longitude: -180 }],
  ['a position with its accuracy', { latitude: 47.07, longitude: 15.44, accuracy: 12.5 }],
  ['a position said to be exact', { latitude: 47.07, longitude: 15.44, accuracy: 0 }],
  ['an altitude below the sea', { latitude: 31.5, longitude: 35.5, altitude: -430 }],
  ['a device', { deviceId: 'TRK-0042' }],
  ['a device id beyond ASCII', { deviceId: 'Hütte-🏔' }],
  ...['critical', 'low', 'medium', 'ok'].map((range): [string, Record<string, unknown>] => [
    `the device battery range ${range}`,
    { deviceBattery: { rawValue: 3.71, range } },
  ]),
  ['device coverage', { deviceCoverage: { networkType: 'LoRa', isConnected: true, signalStrength: -112 } }],
  ['mobile coverage', { mobileCoverage: { networkType: 'LTE', isConnected: false } }],
  ['an empty mobile battery', { mobileBattery: 0 }],
  ['a full mobile battery', { mobileBattery: 100 }],
]

for (const [what, fields] of good) {
  test(`accepts ${what}, as sent`, () => {
    assert.deepEqual(read(fields), {
      payload: { timestamp, ...fields },
      at: parseEventTime(timestamp),
      times: { timestamp: parseEventTime(timestamp), occurredAt: parseEventTime(String(fields.occurredAt)) },
      problems: [],
      remarks: [],
    })
  })
}

const lone = String.fromCharCode(0xd800)
// Every bad value with the fields reported for it. rules.md#fields: the good fields beside it are kept.
const bad: readonly [what: string, fields: Record<string, unknown>, named: readonly string[]][] = [
  ['latitude without longitude', { latitude: 47.07 }, ['latitude', 'longitude']],
  ['longitude without latitude', { longitude: 15.44 }, ['latitude', 'longitude']],
  ['latitude with longitude null', { latitude: 47.07, longitude: null }, ['latitude', 'longitude']],
  ['a latitude beyond the pole', { latitude: 90.0001, longitude: 15 }, ['latitude', 'longitude']],
  ['a longitude beyond the date line', { latitude: 47, longitude: -180.0001 }, ['latitude', 'longitude']],
  ['a latitude as text', { latitude: '47.07', longitude: 15 }, ['latitude', 'longitude']],
  ['two bad coordinates', { latitude: 91, longitude: 181 }, ['latitude', 'longitude']],
  ['an altitude as text', { altitude: '1753' }, ['altitude']],
  ['an altitude as a list', { altitude: [1753] }, ['altitude']],
  ['a device id as a number', { deviceId: 42 }, ['deviceId']],
  ['an empty device id', { deviceId: '' }, ['deviceId']],
  ['a device id with a lone surrogate', { deviceId: `TRK${lone}` }, ['deviceId']],
  ['a device id with a NUL', { deviceId: 'TRK\u0000' }, ['deviceId']],
  ['a device battery as a number', { deviceBattery: 80 }, ['deviceBattery']],
  ['a device battery as a list', { deviceBattery: [] }, ['deviceBattery']],
  ['device coverage as text', { deviceCoverage: 'LoRa' }, ['deviceCoverage']],
  ['a mobile battery of 101', { mobileBattery: 101 }, ['mobileBattery']],
  ['a mobile battery of -1', { mobileBattery: -1 }, ['mobileBattery']],
  ['a mobile battery of 50.5', { mobileBattery: 50.5 }, ['mobileBattery']],
  ['a mobile battery as text', { mobileBattery: '50' }, ['mobileBattery']],
  ['a mobile battery as a boolean', { mobileBattery: true }, ['mobileBattery']],
  ['mobile coverage as a boolean', { mobileCoverage: true }, ['mobileCoverage']],
]

for (const [what, fields, named] of bad) {
  test(`drops and reports ${what}`, () => {
    const { payload, at, problems } = read({
      ...fields,
      deviceCoverage: fields.deviceCoverage ?? { isConnected: true },
    })
    assert.deepEqual(fieldsOf(problems), named)
    const beside = named.includes('deviceCoverage') ? {} : { deviceCoverage: { isConnected: true } }
    assert.deepEqual(payload, { timestamp, ...beside })
    assert.deepEqual(at, parseEventTime(timestamp))
    for (const { message } of problems) assert.ok(message.length > 0)
  })
}

// Of an object only the bad part is dropped, and it is reported by its path.
const badParts: readonly [field: string, sent: object, kept: object, named: string][] = [
  ['deviceBattery', { rawValue: 3.7, range: 'full' }, { rawValue: 3.7 }, 'deviceBattery.range'],
  ['deviceBattery', { rawValue: '3.7', range: 'low' }, { range: 'low' }, 'deviceBattery.rawValue'],
  ['deviceBattery', { rawValue: 3.7, range: 'OK' }, { rawValue: 3.7 }, 'deviceBattery.range'],
  ['deviceCoverage', { networkType: 5, isConnected: true }, { isConnected: true }, 'deviceCoverage.networkType'],
  ['mobileCoverage', { networkType: 'LTE', isConnected: 'yes' }, { networkType: 'LTE' }, 'mobileCoverage.isConnected'],
  ['mobileCoverage', { networkType: lone, isConnected: true }, { isConnected: true }, 'mobileCoverage.networkType'],
  ['mobileCoverage', { isConnected: true, signalStrength: {} }, { isConnected: true }, 'mobileCoverage.signalStrength'],
]

for (const [field, sent, kept, named] of badParts) {
  test(`of ${field} ${JSON.stringify(sent)} only ${named} is dropped`, () => {
    const { payload, problems } = read({ [field]: sent })
    assert.deepEqual(fieldsOf(problems), [named])
    assert.deepEqual(payload, { timestamp, [field]: kept })
  })
}

test('null means absent, at the top level and inside objects', () => {
  const nulls = Object.fromEntries(Object.keys(payloadFields).map((name) => [name, null]))
  assert.deepEqual(read({ ...nulls, timestamp }), read({}))
  assert.deepEqual(read({ deviceBattery: { rawValue: 3.7, range: null } }).payload.deviceBattery, { rawValue: 3.7 })
  assert.deepEqual(read({ mobileCoverage: { networkType: null, isConnected: true } }).problems, [])
})

test('unknown keys, and keys that new clients must not send, are tolerated and dropped', () => {
  const { payload, problems, remarks } = read({
    userId: 'x',
    originalDeviceId: 1,
    reportingDeviceId: {},
    heartRate: 180,
  })
  assert.deepEqual({ payload, problems, remarks }, { payload: { timestamp }, problems: [], remarks: [] })
})

test('only a JSON object is a payload', () => {
  for (const value of [null, undefined, [], [{}], 'text', 1, true]) assert.equal(isJsonObject(value), false)
  for (const value of [{}, { timestamp }]) assert.equal(isJsonObject(value), true)
})

// rules.md#fields: that applies to the time too.
const times: readonly [what: string, fields: object, at: string | 'arrival', problems: string[], remarks: string[]][] =
  [
    ['timestamp before occurredAt', { timestamp, occurredAt: '2026-01-01T10:00:00Z' }, timestamp, [], []],
    ['occurredAt alone', { occurredAt: timestamp }, timestamp, [], []],
    ['a null timestamp and occurredAt', { timestamp: null, occurredAt: timestamp }, timestamp, [], []],
    [
      'a bad timestamp and a good occurredAt',
      { timestamp: 'soon', occurredAt: timestamp },
      timestamp,
      ['timestamp'],
      [],
    ],
    ['a number and a good occurredAt', { timestamp: 1767268800, occurredAt: timestamp }, timestamp, ['timestamp'], []],
    ['a good timestamp and a bad occurredAt', { timestamp, occurredAt: 'soon' }, timestamp, ['occurredAt'], []],
    ['no time', {}, 'arrival', ['timestamp'], []],
    ['a time without zone', { timestamp: '2026-01-01T11:59:58' }, 'arrival', ['timestamp'], []],
    ['February 30', { timestamp: '2025-02-30T11:59:58Z' }, 'arrival', ['timestamp'], []],
    ['two bad times', { timestamp: 'soon', occurredAt: 'later' }, 'arrival', ['occurredAt', 'timestamp'], []],
    ['the last moment before 2020', { timestamp: '2019-12-31T23:59:59.999999999Z' }, 'arrival', [], ['timestamp']],
    ['the first moment of 2020', { timestamp: '2020-01-01T00:00:00Z' }, '2020-01-01T00:00:00Z', [], []],
    ['1970', { timestamp: '1970-01-01T00:00:00Z' }, 'arrival', [], ['timestamp']],
    ['the year 0', { timestamp: '0000-01-01T00:00:00Z' }, 'arrival', [], ['timestamp']],
    [
      '1970 and a good occurredAt',
      { timestamp: '1970-01-01T00:00:00Z', occurredAt: timestamp },
      timestamp,
      [],
      ['timestamp'],
    ],
    [
      'a bad timestamp and 1970',
      { timestamp: 'soon', occurredAt: '1970-01-01T00:00:00Z' },
      'arrival',
      ['timestamp'],
      ['occurredAt'],
    ],
    [
      '1970 twice',
      { timestamp: '1970-01-01T00:00:00Z', occurredAt: '1970-01-01T00:00:01Z' },
      'arrival',
      [],
      ['occurredAt', 'timestamp'],
    ],
    ['5 min ahead', { timestamp: '2026-01-01T12:05:00Z' }, '2026-01-01T12:05:00Z', [], []],
    ['5 min and 1 ns ahead', { timestamp: '2026-01-01T12:05:00.000000001Z' }, 'arrival', [], ['timestamp']],
    ['5 min ahead by its offset', { timestamp: '2026-01-01T11:06:00-01:00' }, 'arrival', [], ['timestamp']],
    ['occurredAt years ahead', { occurredAt: '9999-12-31T23:59:59Z' }, 'arrival', [], ['occurredAt']],
  ]

for (const [what, fields, at, problems, remarks] of times) {
  test(`event time of ${what}: ${at}`, () => {
    const reading = readPayload({ ...fields }, NOW, 'telemetry')
    assert.deepEqual(reading.at, at === 'arrival' ? ARRIVAL : parseEventTime(at))
    assert.deepEqual(fieldsOf(reading.problems), problems)
    assert.deepEqual(fieldsOf(reading.remarks), remarks)
  })
}

// rules.md#event-time. Telemetry may have been kept offline for as long as needed.
const ages: readonly [what: string, at: string, alert: 'kept' | 'arrival'][] = [
  ['30 days', '2025-12-02T12:00:00Z', 'kept'],
  ['30 days and a second', '2025-12-02T11:59:59Z', 'arrival'],
  ['five years', '2021-01-01T00:00:00Z', 'arrival'],
]

for (const [what, sent, alert] of ages) {
  test(`an event time ${what} before its arrival: ${alert} for an alert, kept for telemetry`, () => {
    const ofAlert = readPayload({ timestamp: sent }, NOW, 'alert')
    assert.deepEqual(ofAlert.at, alert === 'kept' ? parseEventTime(sent) : ARRIVAL)
    assert.deepEqual(fieldsOf(ofAlert.remarks), alert === 'kept' ? [] : ['timestamp'])
    assert.deepEqual(ofAlert.problems, [])
    assert.equal(ofAlert.payload.timestamp, sent, 'the text is kept')
    const ofTelemetry = readPayload({ timestamp: sent }, NOW, 'telemetry')
    assert.deepEqual([ofTelemetry.at, ofTelemetry.remarks], [parseEventTime(sent), []])
  })
}

test('a number that overflows in JSON is a bad number', () => {
  const { payload, problems } = readJson(
    `{"timestamp":"${timestamp}","latitude":1e999,"longitude":15,"altitude":-1e999,"mobileBattery":1e999,"deviceBattery":{"rawValue":1e999,"range":"ok"}}`,
  )
  assert.deepEqual(payload, { timestamp, deviceBattery: { range: 'ok' } })
  assert.deepEqual(fieldsOf(problems), ['altitude', 'deviceBattery.rawValue', 'latitude', 'longitude', 'mobileBattery'])
})

test('a __proto__ key sets no field, changes no prototype and is reported', () => {
  const { payload, problems } = readJson(
    `{"timestamp":"${timestamp}","__proto__":{"mobileBattery":50,"polluted":true},"deviceBattery":{"rawValue":1,"__proto__":{"range":"ok"}},"constructor":{"prototype":{"polluted":true}}}`,
  )
  assert.deepEqual(payload, { timestamp, deviceBattery: { rawValue: 1 } })
  assert.ok(fieldsOf(problems).includes('__proto__'))
  assert.equal(Object.getPrototypeOf(payload), Object.prototype)
  assert.equal('polluted' in {}, false)
})

test('inherited fields are ignored', () => {
  const inherited = Object.create({ mobileBattery: 50, latitude: 1, longitude: 1 }) as Record<string, unknown>
  inherited.timestamp = timestamp
  assert.deepEqual(readPayload(inherited, NOW, 'telemetry').payload, { timestamp })
})

/** Several times as many as any recursion survives, and more than fit into a request. */
const LEVELS = 50_000

for (const field of ['deviceCoverage', 'deviceId', 'unheardOf']) {
  test(`${LEVELS} levels of nesting in ${field} cost nothing else`, () => {
    const deep = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
    const { payload } = readJson(`{"timestamp":"${timestamp}","mobileBattery":50,"${field}":${deep}}`)
    assert.equal(payload.mobileBattery, 50)
    assert.equal(payload.deviceId, undefined)
  })
}

const instantText = (value: unknown): boolean => typeof value === 'string' && parseEventTime(value) !== null
const finite = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const within = (low: number, high: number) => (value: unknown) =>
  finite(value) && Number(value) >= low && Number(value) <= high
const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.isWellFormed()
const parts =
  (checks: Record<string, (part: unknown) => boolean>) =>
  (value: unknown): boolean =>
    isJsonObject(value) && Object.entries(value).every(([key, part]) => checks[key]?.(part) === true)
const isCoverage = parts({
  networkType: isText,
  isConnected: (value) => typeof value === 'boolean',
  signalStrength: (value) => finite(value) || isText(value),
})

/** The payload table again, as plain predicates. */
const isGood: Readonly<Record<string, (value: unknown) => boolean>> = {
  timestamp: instantText,
  occurredAt: instantText,
  latitude: within(-90, 90),
  longitude: within(-180, 180),
  altitude: finite,
  accuracy: within(0, 20_000_000),
  deviceId: isText,
  deviceBattery: parts({
    rawValue: finite,
    range: (value) => ['critical', 'low', 'medium', 'ok'].includes(String(value)),
  }),
  deviceCoverage: isCoverage,
  mobileBattery: (value) => Number.isInteger(value) && within(0, 100)(value),
  mobileCoverage: isCoverage,
}

const anyValue = fc.oneof(
  { weight: 2, arbitrary: fc.jsonValue() },
  fc.double(),
  fc.integer({ min: -200, max: 200 }),
  anyText(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.record(
    {
      rawValue: fc.oneof(fc.double(), fc.jsonValue()),
      range: fc.oneof(fc.constantFrom('ok', 'low'), fc.jsonValue()),
      networkType: fc.oneof(anyText(), fc.jsonValue()),
      isConnected: fc.oneof(fc.boolean(), fc.jsonValue()),
      signalStrength: fc.jsonValue(),
    },
    // Objects as JSON.parse makes them.
    { requiredKeys: [], noNullPrototype: true },
  ),
)
const anyPayload = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(Object.fromEntries(Object.keys(isGood).map((name) => [name, anyValue])), { requiredKeys: [] }),
  },
  fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', ...Object.keys(isGood))),
    fc.jsonValue(),
  ),
)

test('for any input nothing throws, only valid fields are kept, and everything dropped is reported', () => {
  fc.assert(
    fc.property(anyPayload, (json: Record<string, unknown>) => {
      const { payload, at, problems, remarks } = readPayload(json, NOW, 'alert')
      const named = new Set([...problems, ...remarks].map(({ field }) => field.split('.')[0]))
      for (const [name, value] of Object.entries(payload)) {
        assert.ok(isGood[name]?.(value), `${name} was kept: ${JSON.stringify(value)}`)
        if (!isJsonObject(value)) assert.equal(value, json[name])
      }
      for (const name of Object.keys(isGood)) {
        const lost = Object.hasOwn(json, name) && json[name] !== null && json[name] !== undefined && !(name in payload)
        if (lost) assert.ok(named.has(name), `${name} was lost without a word`)
      }
      assert.equal(payload.latitude === undefined, payload.longitude === undefined)
      assert.ok(at.ms <= NOW + 5 * 60_000)
    }),
    { numRuns: effort(300, 10_000) },
  )
})

const fieldNames = Object.keys(payloadFields) as (keyof typeof payloadFields)[]

test('a value that passes as sent is one that the schema would keep, and every valid value passes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fieldNames), anyValue, (name, value) => {
      if (!payloadFields[name].isSound(value)) return
      const judged = payloadFields[name].schema.safeParse(value)
      assert.ok(judged.success, `${name}: ${JSON.stringify(value)}`)
      assert.deepEqual(judged.data, value)
    }),
    { numRuns: effort(1_000, 20_000) },
  )
  for (const [what, fields] of good) {
    for (const [name, value] of Object.entries(fields)) {
      assert.ok(payloadFields[name as keyof typeof payloadFields].isSound(value), `${what}: ${name}`)
    }
  }
})

for (const accuracy of [-1, 'high', [5], 1e9]) {
  test(`the accuracy ${JSON.stringify(accuracy)} is dropped and never refused: apps sent it before it was a field`, () => {
    const { payload, problems, remarks } = readPayload(
      { timestamp, latitude: 47, longitude: 15, accuracy },
      NOW,
      'telemetry',
    )
    assert.deepEqual(payload, { timestamp, latitude: 47, longitude: 15 })
    assert.deepEqual([problems, fieldsOf(remarks)], [[], ['accuracy']])
  })
}

test('a payload with both coordinates has a position, with the event time as sent', () => {
  const at = parseEventTime(timestamp)
  assert.ok(at !== null)
  assert.deepEqual(positionOf({ latitude: 1, longitude: 2, altitude: 3 }, at), {
    latitude: 1,
    longitude: 2,
    altitude: 3,
    at: timestamp,
  })
  assert.deepEqual(positionOf({ latitude: 1, longitude: 2 }, at), {
    latitude: 1,
    longitude: 2,
    altitude: null,
    at: timestamp,
  })
  assert.equal(positionOf({ altitude: 3 }, at), null)
})
