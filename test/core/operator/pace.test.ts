import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterSuccess, afterTry, type Pace, waitMs } from '../../../src/core/operator/pace.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/durations.ts'

const FREE = 5

const afterTries = (count: number, now = 0): Pace => {
  let pace: Pace | undefined
  for (let n = 0; n < count; n += 1) pace = afterTry(pace, now)
  return pace!
}

test('the first wrong tries cost nothing, then the wait doubles up to five minutes', () => {
  assert.equal(waitMs(undefined, FREE, 0), 0)
  const waits = [
    [4, 0],
    [5, SECOND],
    [6, 2 * SECOND],
    [9, 16 * SECOND],
    [13, 256 * SECOND],
    [14, 5 * MINUTE],
    [5_000, 5 * MINUTE],
  ] as const
  for (const [tries, wait] of waits) assert.equal(waitMs(afterTries(tries), FREE, 0), wait, `${tries} tries`)
})

test('a wait ends, and failures are forgotten', () => {
  const pace = afterTries(9)
  assert.equal(waitMs(pace, FREE, 10 * SECOND), 6 * SECOND)
  assert.equal(waitMs(pace, FREE, 16 * SECOND), 0)
  assert.equal(afterTry(pace, HOUR).failures, 5.5)
  assert.ok(afterTry(afterTries(1000), DAY).failures < 1.001)
})

test('a try that succeeded does not count, and takes back no other', () => {
  const pace = afterTries(9)
  assert.equal(afterSuccess(afterTry(pace, 0)).failures, 9)
  assert.equal(afterSuccess({ failures: 0.2, at: 0 }).failures, 0)
})

test('whoever tries as often as they may gets fewer than 300 tries a day', () => {
  let pace: Pace | undefined
  let now = 0
  let tries = 0
  for (; now < DAY; tries += 1) {
    pace = afterTry(pace, now)
    now += Math.max(1, waitMs(pace, FREE, now))
  }
  assert.ok(tries < 310, `${tries} tries`)
})
