import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Paces } from '../../../src/core/operator/paces.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/durations.ts'

const FREE = 5

const afterTries = (count: number): Paces => {
  const paces = new Paces(FREE, 10)
  for (let n = 0; n < count; n += 1) paces.tried('ana', 0)
  return paces
}

test('the first wrong tries cost nothing, then the wait doubles up to five minutes', () => {
  const waits = [
    [0, 0],
    [4, 0],
    [5, SECOND],
    [6, 2 * SECOND],
    [9, 16 * SECOND],
    [13, 256 * SECOND],
    [14, 5 * MINUTE],
    [5_000, 5 * MINUTE],
  ] as const
  for (const [tries, wait] of waits) assert.equal(afterTries(tries).waitMs('ana', 0), wait, `${tries} tries`)
})

test('a wait ends, and failures are forgotten', () => {
  const paces = afterTries(9)
  assert.equal(paces.waitMs('ana', 10 * SECOND), 6 * SECOND)
  assert.equal(paces.waitMs('ana', 16 * SECOND), 0)
  // Half of nine, and this one: as if there were 5.5.
  paces.tried('ana', HOUR)
  assert.equal(paces.waitMs('ana', HOUR), SECOND)
  const many = afterTries(1000)
  many.tried('ana', DAY)
  for (let n = 0; n < 3; n += 1) many.tried('ana', DAY)
  assert.equal(many.waitMs('ana', DAY), 0)
})

test('a try that succeeded does not count, and takes back no other', () => {
  const paces = afterTries(9)
  paces.tried('ana', 0)
  paces.succeeded('ana')
  assert.equal(paces.waitMs('ana', 0), 16 * SECOND)
  const few = afterTries(1)
  for (let n = 0; n < 3; n += 1) few.succeeded('ana')
  for (let n = 0; n < FREE; n += 1) few.tried('ana', 0)
  assert.equal(few.waitMs('ana', 0), SECOND)
})

test('an attacker who tries as often as allowed gets fewer than 300 tries a day', () => {
  const paces = new Paces(FREE, 10)
  let now = 0
  let tries = 0
  for (; now < DAY; tries += 1) {
    paces.tried('ana', now)
    now += Math.max(1, paces.waitMs('ana', now))
  }
  assert.ok(tries < 310, `${tries} tries`)
})
