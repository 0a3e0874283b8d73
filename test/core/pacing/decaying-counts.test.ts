import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecayingCounts } from '../../../src/core/pacing/decaying-counts.ts'

const HALF_LIFE = 1000

test('half of a count is forgotten in each half-life, also of what was added before', () => {
  const counts = new DecayingCounts(HALF_LIFE, 10)
  counts.add('ana', 4, 0)
  assert.deepEqual(
    [0, 1000, 2000, 20_000].map((now) => Math.round(counts.recent('ana', now) * 100) / 100),
    [4, 2, 1, 0],
  )
  counts.add('ana', 1, 2000)
  assert.deepEqual(counts.last('ana'), { count: 2, at: 2000 })
  assert.deepEqual([counts.recent('ben', 0), counts.last('ben')], [0, null])
})

test('one may be taken back, and never more than there is', () => {
  const counts = new DecayingCounts(HALF_LIFE, 10)
  counts.takeBack('ana')
  counts.add('ana', 1.2, 7)
  counts.takeBack('ana')
  assert.ok(Math.abs(counts.last('ana')!.count - 0.2) < 1e-9)
  assert.equal(counts.last('ana')!.at, 7)
  counts.takeBack('ana')
  assert.equal(counts.last('ana')!.count, 0)
})

test('of too many keys the one that grew longest ago is forgotten', () => {
  const counts = new DecayingCounts(HALF_LIFE, 2)
  for (const key of ['ana', 'ben', 'ana', 'eva']) counts.add(key, 1, 0)
  assert.deepEqual(
    ['ana', 'ben', 'eva'].map((key) => counts.recent(key, 0)),
    [2, 0, 1],
  )
})
