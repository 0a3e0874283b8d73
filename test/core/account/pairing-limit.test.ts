import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterWrongCode, withoutTry } from '../../../src/core/account/pairing-limit.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'

// limits.md#users-and-trackers
const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (...minutes: readonly number[]) => minutes.map((n) => NOW - n * MINUTE)

const cases: readonly [what: string, times: readonly number[], expected: object][] = [
  ['the first', [], { times: [NOW] }],
  ['one less than allowed', ago(50, 40), { times: [...ago(50, 40), NOW] }],
  ['too many: until the oldest of them is an hour old', ago(50, 40, 10), { retryAfterMs: 10 * MINUTE }],
  ['more than too many', ago(59, 50, 40, 10), { retryAfterMs: 10 * MINUTE }],
  ['older than an hour', ago(61, 60, 10), { times: [...ago(10), NOW] }],
  ['left by a clock that ran ahead', ago(-1, -2, -3), { times: [NOW] }],
]
for (const [what, times, expected] of cases) {
  test(`wrong codes: ${what}`, () => assert.deepEqual(afterWrongCode(times, { times: 3, perMs: HOUR }, NOW), expected))
}

test('a right code takes back its own try and no other', () => {
  assert.deepEqual(withoutTry(ago(2, 1, 1), NOW - MINUTE), ago(2, 1))
  assert.deepEqual(withoutTry(ago(2, 1), NOW), ago(2, 1))
})
