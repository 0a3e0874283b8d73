import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shares } from '../../../../src/adapters/inbound/broker/session/shares.ts'
import { stopClock } from './harness.ts'

test('all connections of one user together get 50 ms at once and two fifths of each second', (t) => {
  const clock = stopClock(t)
  const shares = new Shares()
  const [one, other] = [shares.join('ana').time, shares.join('ana').time]
  const passes = (ms: number): void => {
    clock.passes(ms)
    for (const time of [one, other]) time.refill(clock.now())
  }
  one.spend(30)
  assert.equal(other.spent, false)
  other.spend(20)
  assert.equal(one.spent, true)
  one.spend(400)
  passes(999)
  assert.equal(other.spent, true, 'before a second has passed')
  passes(2)
  assert.equal(other.spent, false, 'after a second')
  // What is not used is not saved up.
  passes(60_000)
  other.spend(50)
  assert.equal(one.spent, true)
  assert.equal(shares.join('ben').time.spent, false)
})

test('a share ends with the last connection of its user', () => {
  const shares = new Shares()
  const [one, other] = [shares.join('ana'), shares.join('ana')]
  assert.equal(one.time, other.time)
  assert.notEqual(shares.join('ben').time, one.time)
  one.time.spend(1000)
  one.leaves()
  const third = shares.join('ana')
  assert.equal(third.time.spent, true)
  third.leaves()
  other.leaves()
  assert.equal(shares.join('ana').time.spent, false)
})
