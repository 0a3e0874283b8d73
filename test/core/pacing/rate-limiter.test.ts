import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter, waitMsOf, withOneMore } from '../../../src/core/pacing/rate-limiter.ts'
import { DAY, MINUTE, SECOND } from '../../../src/lib/durations.ts'

const LIMIT = { times: 3, perMs: MINUTE }
const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (...seconds: readonly number[]) => seconds.map((n) => NOW - n * SECOND)

const cases: readonly [what: string, times: readonly number[], waitMs: number, left: readonly number[]][] = [
  ['nothing', [], 0, []],
  ['fewer than the limit', ago(50, 40), 0, ago(50, 40)],
  ['as many: until the first is a minute old', ago(50, 40, 10), 10 * SECOND, ago(50, 40, 10)],
  ['more: until all but two are a minute old', ago(59, 50, 40, 10), 10 * SECOND, ago(59, 50, 40, 10)],
  ['a minute old', ago(61, 60, 10), 0, ago(10)],
  ['ahead of a clock that was set back by less than a minute', ago(-20, -21, -22), 80 * SECOND, ago(-20, -21, -22)],
  ['ahead of a clock that was set back by more', ago(-60, -61, -62), 0, []],
]
for (const [what, times, waitMs, left] of cases) {
  test(`three a minute, after ${what}`, () => {
    assert.equal(waitMsOf(times, LIMIT, NOW), waitMs)
    assert.deepEqual(withOneMore(times, LIMIT, NOW), [...left, NOW])
  })
}

test('each key has its own count, and what is refused counts for nothing', () => {
  const limiter = new RateLimiter(LIMIT, 10)
  const takes = (key: string, now: number, times: number) =>
    Array.from({ length: times }, () => limiter.take(key, now)).filter(Boolean).length
  assert.equal(takes('ana', NOW, 2), 2)
  assert.equal(takes('ana', NOW + 20 * SECOND, 9), 1)
  assert.equal(limiter.waitMs('ana', NOW + 20 * SECOND), 40 * SECOND)
  assert.equal(takes('ben', NOW + 20 * SECOND, 9), 3)
  assert.equal(takes('ana', NOW + MINUTE, 9), 2)
  assert.equal(takes('ana', NOW - DAY, 9), 3, 'a clock that was set does not prolong the wait')
})

test('in no minute there are more than the limit', () => {
  const limiter = new RateLimiter(LIMIT, 1)
  const taken: number[] = []
  for (let now = NOW; now < NOW + 10 * MINUTE; now += 7 * SECOND) if (limiter.take('', now)) taken.push(now)
  assert.ok(taken.length >= 28, `${taken.length}`)
  for (const [place, at] of taken.entries()) assert.ok((taken[place + LIMIT.times] ?? Infinity) - at >= MINUTE)
})

test('what is given back may be taken again', () => {
  const limiter = new RateLimiter({ times: 1, perMs: MINUTE }, 10)
  limiter.giveBack('ana')
  assert.deepEqual([limiter.take('ana', NOW), limiter.take('ana', NOW)], [true, false])
  limiter.giveBack('ana')
  assert.deepEqual([limiter.take('ana', NOW), limiter.take('ana', NOW)], [true, false])
})

test('of too many keys the one that was quiet longest is forgotten, not one that is refused all the time', () => {
  const limiter = new RateLimiter({ times: 1, perMs: MINUTE }, 2)
  for (const key of ['mallory', 'ana', 'mallory', 'ben']) limiter.take(key, NOW)
  assert.equal(limiter.take('mallory', NOW), false)
  assert.equal(limiter.take('ana', NOW), true)
})
