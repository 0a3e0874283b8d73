import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, repeatedKnown, spreadOf, theilSen } from '../../bench/statistics.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

test('a percentile is one of the values, whatever their order', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2)
  const { p50, p99, max, count } = spreadOf(upTo(1000).reverse())
  assert.deepEqual({ p50, p99, max, count }, { p50: 500, p99: 990, max: 1000, count: 1000 })
  assert.ok(Number.isNaN(spreadOf([]).p50))
})

test('the range of a percentile is narrower for more values, and ends where they end', () => {
  assert.deepEqual(spreadOf(upTo(1000)).p50Range, [469, 532])
  assert.deepEqual(spreadOf(upTo(1000)).p99Range, [983, 998])
  assert.deepEqual(spreadOf(upTo(20)).p99Range, [18, 20])
  assert.deepEqual(spreadOf([7]).p50Range, [7, 7])
})

test('the range of a percentile holds the true one 19 times of 20', () => {
  const random = numbers(7)
  const draws = 2000
  let held = 0
  for (let n = 0; n < draws; n++) {
    const [low, high] = spreadOf(Array.from({ length: 300 }, random)).p50Range
    if (low <= 0.5 && 0.5 <= high) held += 1
  }
  assert.ok(held / draws > 0.93 && held / draws < 0.98, `${held / draws}`)
})

test('a figure that was reported in no round is none', () => {
  assert.equal(repeatedKnown([null, null]), null)
  assert.deepEqual(repeatedKnown([3, null, 1]), { median: 1, runs: [3, 1] })
})

test('a slope is that of the line, and a few outliers do not move it', () => {
  const line = upTo(50).map((at) => ({ at, value: 3 * at + 100 }))
  assert.deepEqual(theilSen(line), { slope: 3, range: [3, 3] })
  const withOutliers = line.map((point) => (point.at % 10 === 0 ? { ...point, value: 9999 } : point))
  assert.equal(theilSen(withOutliers)!.slope, 3)
  assert.equal(theilSen(line.slice(0, 7)), null)
})

test('the range of a slope holds the true one 19 times of 20', () => {
  const random = numbers(11)
  const draws = 300
  let held = 0
  for (let n = 0; n < draws; n++) {
    const points = upTo(40).map((at) => ({ at, value: 2 * at + 50 * random() }))
    const [low, high] = theilSen(points)!.range
    if (low <= 2 && 2 <= high) held += 1
  }
  assert.ok(held / draws > 0.92 && held / draws < 0.99, `${held / draws}`)
})

/** The same random numbers between 0 and 1 each time (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
