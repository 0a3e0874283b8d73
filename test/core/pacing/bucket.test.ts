import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bucket } from '../../../src/core/pacing/bucket.ts'

const NOW = 1_000_000

test('so many at once, and then so many a second', () => {
  const bucket = new Bucket(2, NOW, 3)
  const takes = (now: number) => Array.from({ length: 9 }, () => bucket.take(now)).filter(Boolean).length
  assert.deepEqual(
    [0, 0, 499, 500, 10_000].map((ms) => takes(NOW + ms)),
    [3, 0, 0, 1, 3],
  )
  assert.equal(takes(NOW), 0, 'a clock that was set back fills nothing')
  assert.equal(takes(NOW + 500), 1, 'and takes nothing')
})

test('what is overdrawn has to come in first', () => {
  const bucket = new Bucket(100, NOW)
  assert.deepEqual([bucket.spent, bucket.waitMs()], [false, 0])
  bucket.spend(149)
  assert.deepEqual([bucket.spent, bucket.waitMs()], [true, 500])
  bucket.refill(NOW + 490)
  assert.equal(bucket.spent, true)
  bucket.refill(NOW + 500)
  assert.equal(bucket.spent, false)
})
