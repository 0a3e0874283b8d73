import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driftOf } from '../../bench/drift.ts'

const memory = { name: 'memory', unit: 'MB' }

/** One sample a minute for an hour. */
const hourOf = (valueAt: (hours: number, n: number) => number) =>
  Array.from({ length: 60 }, (_, n) => ({ at: n / 60, value: valueAt(n / 60, n) }))

/** Up and down, without a trend. */
const wobble = (n: number): number => [0, 3, -2, 1, -3, 2][n % 6]!

test('a leak rises, and the report has how fast', () => {
  const { verdict, perHour, change } = driftOf(
    memory,
    hourOf((hours, n) => 200 + 30 * hours + wobble(n)),
  )
  assert.equal(verdict, 'rises')
  assert.ok(Math.abs(perHour!.slope - 30) < 2)
  assert.ok(perHour!.range[0] > 25 && perHour!.range[1] < 35)
  // Over the four fifths that count.
  assert.ok(Math.abs(change - (30 * 0.78) / 212) < 0.02)
})

test('what only wobbles is steady, and what gets less falls', () => {
  assert.equal(
    driftOf(
      memory,
      hourOf((_, n) => 200 + wobble(n)),
    ).verdict,
    'steady',
  )
  assert.equal(
    driftOf(
      memory,
      hourOf((hours) => 200 - 30 * hours),
    ).verdict,
    'falls',
  )
})

test('what rises while the service warms up is steady afterwards', () => {
  assert.equal(
    driftOf(
      memory,
      hourOf((hours, n) => Math.min(200, 100 + 600 * hours) + wobble(n)),
    ).verdict,
    'steady',
  )
})

test('a slope that amounts to next to nothing is steady, however certain', () => {
  assert.equal(
    driftOf(
      memory,
      hourOf((hours) => 200 + 2 * hours),
    ).verdict,
    'steady',
  )
})

test('a log that is always empty is steady', () => {
  const { verdict, change } = driftOf(
    memory,
    hourOf(() => 0),
  )
  assert.deepEqual({ verdict, change }, { verdict: 'steady', change: 0 })
})

test('too few samples say so', () => {
  assert.equal(driftOf(memory, hourOf((hours) => 200 + 30 * hours).slice(0, 9)).verdict, 'too few samples')
})
