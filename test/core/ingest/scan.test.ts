import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject } from '../../../src/core/ingest/json.ts'
import { readPayload } from '../../../src/core/ingest/payload.ts'
import { type Scanned, scanTelemetry } from '../../../src/core/ingest/scan.ts'
import { effort } from '../../harness/effort.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const timestamp = '2026-01-01T11:59:58.123456789Z'
const time = `"timestamp":"${timestamp}"`

const scan = (bytes: Buffer): Scanned | null => scanTelemetry(bytes, bytes.toString('latin1'), NOW)

/** What the first path makes of the same bytes; null unless it keeps every field as sent. */
function judge(bytes: Buffer): Scanned | null {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
  if (!isJsonObject(json)) return null
  const { payload, at, problems, remarks } = readPayload(json, NOW, 'telemetry')
  return problems.length + remarks.length === 0 ? { payload, at } : null
}

const plain: readonly [what: string, text: string][] = [
  ['the time', `{${time}}`],
  ['the other time', `{"occurredAt":"${timestamp}"}`],
  ['both times', `{"occurredAt":"2026-01-01T11:59:00+01:00",${time}}`],
  ['a position', `{${time},"latitude":47.07,"longitude":-15.44,"altitude":1753.5}`],
  ['a position with its accuracy', `{${time},"latitude":47.07,"longitude":-15.44,"accuracy":12.5}`],
  ['a position in another order', `{"longitude":-0,"altitude":-430,"latitude":0.0,${time}}`],
  ['the edges of the world', `{${time},"latitude":-90,"longitude":180.000}`],
  ['as many digits as a number may have', `{${time},"latitude":0.12345678901234,"longitude":12.3456789012345}`],
  ['white space wherever JSON has some', `\t{ ${time.replace(':', ' :\n')} ,\r\n "mobileBattery" : 7.0 } \n`],
  ['a device', `{${time},"deviceId":"TRK/0042 ~"}`],
  ['a device id of the greatest length', `{${time},"deviceId":"${'x'.repeat(128)}"}`],
  ['the battery of a device', `{${time},"deviceBattery":{"range":"critical","rawValue":3.71}}`],
  ['objects without parts', `{${time},"deviceBattery":{},"mobileCoverage":{ }}`],
  ['coverage', `{${time},"mobileCoverage":{"signalStrength":"good","networkType":"LTE","isConnected":false}}`],
  ['a signal strength in numbers', `{${time},"deviceCoverage":{"signalStrength":-112,"isConnected":true}}`],
]

for (const [what, text] of plain) {
  test(`reads ${what} as the first path does`, () => {
    const bytes = Buffer.from(text)
    const scanned = scan(bytes)
    assert.notEqual(scanned, null)
    assert.deepEqual(scanned, judge(bytes))
  })
}

const left: readonly [what: string, text: string][] = [
  ['nothing', ''],
  ['an array', '[]'],
  ['no time', '{"mobileBattery":7}'],
  ['no object to the end', `{${time}`],
  ['something behind the object', `{${time}}{}`],
  ['a comma too many', `{${time},}`],
  ['a colon too few', '{"timestamp"}'],
  ['a byte order mark', `\uFEFF{${time}}`],
  ['an unknown field', `{${time},"latitudes":1}`],
  ['a field twice', `{${time},${time}}`],
  ['a number twice', `{${time},"altitude":1,"altitude":2}`],
  ['a null', `{${time},"altitude":null}`],
  ['a time that is none', '{"timestamp":"yesterday"}'],
  ['a second time that is none', `{${time},"occurredAt":"yesterday"}`],
  ['a time in the future', '{"timestamp":"2026-01-01T12:06:00Z"}'],
  ['the time of a stopped clock', '{"timestamp":"2000-01-01T00:00:00Z"}'],
  ['half a position', `{${time},"latitude":1}`],
  ['the other half', `{${time},"longitude":1}`],
  ['a latitude out of range', `{${time},"latitude":90.1,"longitude":1}`],
  ['an escape', `{${time},"deviceId":"\\u0041"}`],
  ['a text beyond ASCII', `{${time},"deviceId":"Hütte"}`],
  ['a control character', `{${time},"deviceId":"\u007f"}`],
  ['an empty text', `{${time},"deviceId":""}`],
  ['a text too long', `{${time},"deviceId":"${'x'.repeat(129)}"}`],
  ['a text without an end', `{${time},"deviceId":"x`],
  ['an exponent', `{${time},"altitude":1e3}`],
  ['a leading zero', `{${time},"altitude":01}`],
  ['a leading plus', `{${time},"altitude":+1}`],
  ['no digit before the point', `{${time},"altitude":.5}`],
  ['no digit behind the point', `{${time},"altitude":5.}`],
  ['two points', `{${time},"altitude":5.1.2}`],
  ['only a sign', `{${time},"altitude":-}`],
  ['a digit too many', `{${time},"altitude":1234567890123456}`],
  ['a digit too many behind the point', `{${time},"altitude":0.123456789012345}`],
  ['half a percent', `{${time},"mobileBattery":7.5}`],
  ['too many percent', `{${time},"mobileBattery":101}`],
  ['a range that is none', `{${time},"deviceBattery":{"range":"full"}}`],
  ['an unknown part', `{${time},"deviceCoverage":{"rawValue":1}}`],
  ['an object where a number belongs', `{${time},"altitude":{}}`],
]

for (const [what, text] of left) {
  test(`leaves ${what} to the first path`, () => {
    assert.equal(scan(Buffer.from(text)), null)
  })
}

const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r')
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 17 })
const number = fc.oneof(
  fc.tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('', '.', 'e'), digits).map((parts) => parts.join('')),
  fc.integer({ min: -200, max: 200 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const word = fc.oneof(
  anyText({ maxLength: 140 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"ok"', '"low"', '"full"', 'true', 'false', 'null', '[]', '"lora"'),
  fc.date({ noInvalidDate: true }).map((date) => JSON.stringify(date)),
)
const membersOf = (names: readonly string[], value: fc.Arbitrary<string>) => {
  const member = fc.tuple(space, fc.constantFrom(...names), space, value, space)
  return fc
    .array(member, { maxLength: 6 })
    .map((all) => `{${all.map(([a, name, b, one, c]) => `${a}"${name}"${b}:${one}${c}`).join(',')}}`)
}
const parts = membersOf(
  ['rawValue', 'range', 'networkType', 'isConnected', 'signalStrength', 'other'],
  fc.oneof(number, word),
)
const names = [
  ...['latitude', 'longitude', 'altitude', 'accuracy', 'deviceId', 'deviceBattery', 'deviceCoverage'],
  ...['mobileBattery', 'mobileCoverage', 'occurredAt', 'timestamp', '__proto__'],
]
const nearlyPlain = fc
  .tuple(
    fc.constantFrom('{', `{${time},`, `{"latitude":1,"longitude":1,${time},`),
    membersOf(names, fc.oneof(number, word, parts)),
  )
  .map(([start, rest]) => Buffer.from(start + rest.slice(1)))
/** A plain payload of which some bytes were replaced. */
const torn = fc
  .tuple(
    fc.constantFrom(...plain.map(([, text]) => text)),
    fc.array(fc.tuple(fc.nat(200), fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}",:.-0 e\\')))), {
      maxLength: 3,
    }),
  )
  .map(([text, changes]) => {
    const bytes = Buffer.from(text)
    for (const [place, byte] of changes) bytes[place % bytes.length] = byte
    return bytes
  })

test('whatever it reads, the first path would have kept as sent, with the same fields and the same time', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyPlain, torn), (bytes) => {
      const scanned = scan(bytes)
      if (scanned !== null) assert.deepEqual(scanned, judge(bytes))
    }),
    { numRuns: effort(2_000, 50_000) },
  )
})

const decimal = (max: number) =>
  fc.tuple(fc.integer({ min: -max, max }), digits).map(([whole, fraction]) => `${whole}.${fraction.slice(0, 11)}`)
const plainText = (max: number) =>
  fc.string({ unit: fc.constantFrom(...'aZ09 .-_/{}[]:,'), minLength: 1, maxLength: max }).map((text) => `"${text}"`)
const shuffled = (members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.shuffledSubarray(Object.keys(members)), fc.record(members), space)
    .map(
      ([kept, values, gap]) => `{${gap}${kept.map((name) => `"${name}"${gap}:${gap}${values[name]}`).join(`${gap},`)}}`,
    )
const coverage = shuffled({
  networkType: plainText(64),
  isConnected: fc.boolean().map(String),
  signalStrength: fc.oneof(decimal(999), plainText(64)),
})
const plainPayload = shuffled({
  altitude: decimal(9999),
  accuracy: decimal(9999).map((value) => value.replace('-', '')),
  deviceId: plainText(128),
  deviceBattery: shuffled({ rawValue: decimal(9), range: fc.constantFrom('"critical"', '"low"', '"medium"', '"ok"') }),
  deviceCoverage: coverage,
  mobileBattery: fc.nat(100).map(String),
  mobileCoverage: coverage,
}).chain((rest) =>
  fc.tuple(decimal(89), decimal(179)).map(([latitude, longitude]) => {
    const more = rest.slice(1).trim() === '}' ? '}' : `,${rest.slice(1)}`
    return Buffer.from(`{${time},"latitude":${latitude},"longitude":${longitude}${more}`)
  }),
)

test('it reads every payload of sound fields in their plain form', () => {
  fc.assert(
    fc.property(plainPayload, (bytes) => {
      const scanned = scan(bytes)
      assert.notEqual(scanned, null)
      assert.deepEqual(scanned, judge(bytes))
    }),
    { numRuns: effort(500, 10_000) },
  )
})
