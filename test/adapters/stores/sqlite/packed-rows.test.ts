import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DUPLICATE, type FlatRow, STORED } from '../../../../src/adapters/stores/shared/telemetry-row.ts'
import {
  eachRow,
  outcomeAt,
  type PackedRows,
  RowOutcomes,
  RowPacker,
} from '../../../../src/adapters/stores/sqlite/telemetry/packed-rows.ts'
import fc from '../../../harness/fast-check.ts'

/** Well-formed text, as the ingest hands in: a lone surrogate never gets this far. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => value.isWellFormed())
const ms = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const degrees = maybe(fc.double({ min: -180, max: 180, noNaN: true }))
/** Few, as the rows of a commit have: neighbours share theirs, or only one of the two. */
const name = fc.oneof(fc.constantFrom('', 'a', 'b'), text)
const row: fc.Arbitrary<FlatRow> = fc.record<FlatRow>(
  {
    appId: name,
    reporterId: name,
    deviceId: maybe(text),
    byDevice: fc.boolean(),
    ms,
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
    text,
    isArrival: fc.boolean(),
    receivedAt: ms,
    compact: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 1000, maxLength: 1200 })),
    latitude: degrees,
    longitude: degrees,
    altitude: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    accuracy: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
  },
  { noNullPrototype: true },
)

function unpacked(packed: PackedRows): readonly FlatRow[] {
  const rows: FlatRow[] = []
  eachRow(packed, (row) => rows.push({ ...row, compact: Uint8Array.from(row.compact) }))
  return rows
}

test('rows come out of a pack as they went in, one pack after the other in the same memory', () => {
  const packer = new RowPacker()
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      assert.deepEqual(unpacked(packer.pack(rows)), rows)
    }),
  )
})

test('a pack takes as many rows, and as long ones, as a commit does', () => {
  const packer = new RowPacker()
  const short = (n: number): FlatRow => ({
    ...{
      appId: 'app',
      reporterId: `u${n}`,
      deviceId: null,
      byDevice: false,
      ms: n,
      nanos: 0,
      text: 'x',
      isArrival: false,
      receivedAt: n,
      compact: Uint8Array.of(1, 0, 0),
    },
    ...{ latitude: null, longitude: null, altitude: null, accuracy: null },
  })
  const long: FlatRow = {
    ...{
      appId: 'app',
      reporterId: 'ana',
      deviceId: 'tracker',
      byDevice: true,
      ms: 1,
      nanos: 2,
      text: 'x',
      isArrival: true,
      receivedAt: 3,
    },
    ...{ compact: new Uint8Array(900_000).fill(7), latitude: 47.1, longitude: 12.7, altitude: -0, accuracy: 5 },
  }
  const rows = [...Array.from({ length: 499 }, (_, n) => short(n)), long]
  assert.deepEqual(unpacked(packer.pack(rows)), rows)
  assert.deepEqual(unpacked(packer.pack([])), [])
})

test('each row finds its own outcome, the unusual ones too', () => {
  const unusual = { duplicate: false, incidentId: 'i1', unknownDevice: true }
  const failed = { failed: { kind: 'fault', message: 'telemetry of an unknown user', fatal: false } } as const
  const outcomes = [STORED, unusual, DUPLICATE, failed, STORED]
  const all = new RowOutcomes(outcomes.length)
  for (const outcome of outcomes) all.add(outcome)
  const sent = structuredClone(all.sent())
  assert.deepEqual(
    outcomes.map((_, index) => outcomeAt(sent, index)),
    outcomes,
  )
})
