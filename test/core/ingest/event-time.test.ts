import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareEventTimes, eventTimeAt, isoAt, parseEventTime } from '../../../src/core/ingest/event-time.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const utc = Date.UTC

// protocol.md#payload: RFC 3339, nanoseconds allowed. The second column is epoch milliseconds, the third the
// nanoseconds within the millisecond.
const readable: readonly [text: string, ms: number, nanos: number][] = [
  ['2026-01-01T12:00:00Z', utc(2026, 0, 1, 12), 0],
  ['2026-01-01t12:00:00z', utc(2026, 0, 1, 12), 0],
  ['2026-01-01T12:00:00.1Z', utc(2026, 0, 1, 12, 0, 0, 100), 0],
  ['2026-01-01T12:00:00.123456789Z', utc(2026, 0, 1, 12, 0, 0, 123), 456_789],
  ['2026-01-01T12:00:00.000000001Z', utc(2026, 0, 1, 12), 1],
  ['2026-01-01T12:00:00.0000000019Z', utc(2026, 0, 1, 12), 1],
  ['2026-01-01T12:00:00.123456789012Z', utc(2026, 0, 1, 12, 0, 0, 123), 456_789],
  ['2026-01-01T12:00:00+00:00', utc(2026, 0, 1, 12), 0],
  ['2026-01-01T12:00:00-00:00', utc(2026, 0, 1, 12), 0],
  ['2026-01-01T12:00:00+05:45', utc(2026, 0, 1, 6, 15), 0],
  ['2026-01-01T12:00:00-03:30', utc(2026, 0, 1, 15, 30), 0],
  ['2026-01-01T00:30:00+14:00', utc(2025, 11, 31, 10, 30), 0],
  ['2026-01-01T12:00:00.5+23:59', utc(2025, 11, 31, 12, 1, 0, 500), 0],
  ['2016-12-31T23:59:60Z', utc(2017, 0, 1), 0],
  ['1990-12-31T15:59:60-08:00', utc(1991, 0, 1), 0],
  ['2024-02-29T00:00:00Z', utc(2024, 1, 29), 0],
  ['2000-02-29T00:00:00Z', utc(2000, 1, 29), 0],
  ['1969-12-31T23:59:59.999999999Z', -1, 999_999],
  ['0000-01-01T00:00:00Z', -62_167_219_200_000, 0],
  ['0000-02-29T00:00:00Z', -62_162_121_600_000, 0],
  ['0099-01-01T00:00:00Z', -59_042_995_200_000, 0],
  ['9999-12-31T23:59:59.999999999Z', 253_402_300_799_999, 999_999],
]

for (const [text, ms, nanos] of readable) {
  test(`reads ${text}`, () => {
    assert.deepEqual(parseEventTime(text), { text, ms, nanos })
  })
}

const unreadable: readonly [text: string, why: string][] = [
  ['', 'nothing'],
  ['yesterday', 'words'],
  ['1767268800', 'epoch seconds'],
  ['2026-01-01', 'a date alone'],
  ['12:00:00Z', 'a time alone'],
  ['2026-01-01T12:00:00', 'no zone'],
  ['2026-01-01T12:00:00.5', 'no zone behind a fraction'],
  ['2026-01-01 12:00:00', 'a blank and no zone'],
  ['2026-01-01T12:00Z', 'no seconds'],
  ['2026-01-01T12:00:00.Z', 'a point without digits'],
  ['2026-01-01T12:00:00,5Z', 'a comma'],
  ['2026-01-01T12:00:00+0100', 'an offset without colon'],
  ['2026-01-01T12:00:00+01', 'an offset without minutes'],
  ['2026-01-01T12:00:00+24:00', 'offset hour 24'],
  ['2026-01-01T12:00:00+01:60', 'offset minute 60'],
  ['2026-01-01T12:00:00Z+01:00', 'two zones'],
  ['2026-01-01T12:00:00 CET', 'a named zone'],
  ['2026-02-30T12:00:00Z', 'February 30'],
  ['2026-02-29T12:00:00Z', 'February 29 of no leap year'],
  ['1900-02-29T12:00:00Z', 'February 29 of 1900'],
  ['2026-04-31T12:00:00Z', 'April 31'],
  ['2026-00-01T12:00:00Z', 'month 0'],
  ['2026-13-01T12:00:00Z', 'month 13'],
  ['2026-01-00T12:00:00Z', 'day 0'],
  ['2026-01-32T12:00:00Z', 'day 32'],
  ['2026-01-01T24:00:00Z', 'hour 24'],
  ['2026-01-01T12:60:00Z', 'minute 60'],
  ['2026-01-01T12:00:61Z', 'second 61'],
  ['26-01-01T12:00:00Z', 'a short year'],
  ['12026-01-01T12:00:00Z', 'a long year'],
  ['+002026-01-01T12:00:00Z', 'an extended year'],
  ['-0001-01-01T12:00:00Z', 'a negative year'],
  [' 2026-01-01T12:00:00Z', 'a blank before'],
  ['2026-01-01T12:00:00Z\n', 'a line end behind'],
  ['２０２６-01-01T12:00:00Z', 'digits of another script'],
]

for (const [text, why] of unreadable) {
  test(`does not read ${why}: ${JSON.stringify(text)}`, () => {
    assert.equal(parseEventTime(text), null)
  })
}

test('something that counts as having happened on arrival has that instant', () => {
  assert.deepEqual(eventTimeAt(utc(2026, 0, 1, 12)), {
    text: '2026-01-01T12:00:00.000Z',
    ms: utc(2026, 0, 1, 12),
    nanos: 0,
  })
})

test('a moment is written as Date writes it, of any year and day, and what is no moment is refused alike', () => {
  const day = fc.integer({ min: -100_000_000, max: 100_000_000 }).map((days) => days * 86_400_000)
  const within = fc.oneof(fc.double({ min: -86_400_001, max: 86_400_001, noNaN: true }), fc.constantFrom(0, -0, 1, -1))
  const moments = fc.array(fc.oneof(within, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY)), { minLength: 1 })
  const outcome = (write: () => string): string => {
    try {
      return write()
    } catch (error) {
      return `${error}`
    }
  }
  const agree = (start: number, offsets: readonly number[]) => {
    for (const offset of offsets) {
      const ms = start + offset
      assert.equal(
        outcome(() => isoAt(ms)),
        outcome(() => new Date(ms).toISOString()),
        `${ms}`,
      )
    }
  }
  for (const start of [-8.64e15, 8.64e15, 0, utc(-1, 11, 31), utc(0, 0, 1), utc(9999, 11, 31), utc(2026, 5, 1)]) {
    agree(start, [0, 0.5, -0.5, -1, 1, 0, 999, 86_399_999, 86_400_000, Number.NaN, 12.75])
  }
  fc.assert(fc.property(fc.oneof(day, fc.constantFrom(-8.64e15, 8.64e15, 0)), moments, agree))
})

type Instant = { readonly ms: number; readonly nanos: number; readonly offset: number }

/** Writes an instant in the local time of an offset, without using the parser. */
function written({ ms, nanos, offset }: Instant): string {
  const local = isoAt(ms + offset * 60_000)
  const [sign, size] = offset < 0 ? ['-', -offset] : ['+', offset]
  const two = (n: number): string => String(n).padStart(2, '0')
  const zone = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${local.slice(0, -1)}${String(nanos).padStart(6, '0')}${zone}`
}

const instants = fc.record({
  ms: fc.integer({ min: utc(2026, 0, 1), max: utc(2026, 0, 1) + 3 }),
  nanos: fc.integer({ min: 0, max: 999_999 }),
  offset: fc.integer({ min: -1439, max: 1439 }),
})
const anyInstants = fc.record({
  ms: fc.integer({ min: utc(1, 0, 3), max: utc(9999, 11, 29) }),
  nanos: fc.integer({ min: 0, max: 999_999 }),
  offset: fc.integer({ min: -1439, max: 1439 }),
})

test('an instant is read back from any offset', () => {
  fc.assert(
    fc.property(anyInstants, (instant) => {
      const text = written(instant)
      assert.deepEqual(parseEventTime(text), { text, ms: instant.ms, nanos: instant.nanos })
    }),
  )
})

test('event times are ordered by their instants, to the nanosecond and regardless of the offset', () => {
  const nanosOf = ({ ms, nanos }: Instant): bigint => BigInt(ms) * 1_000_000n + BigInt(nanos)
  fc.assert(
    fc.property(instants, instants, (a, b) => {
      const [first, second] = [parseEventTime(written(a)), parseEventTime(written(b))]
      assert.ok(first !== null && second !== null)
      const distance = nanosOf(a) - nanosOf(b)
      assert.equal(Math.sign(compareEventTimes(first, second)), distance < 0n ? -1 : distance > 0n ? 1 : 0)
    }),
  )
})

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const time = parseEventTime(text)
      assert.ok(time === null || time.text === text)
    }),
  )
})
