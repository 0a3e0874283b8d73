import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEvery, inSteps } from '../../src/lib/in-steps.ts'

test('a turn of the event loop takes two milliseconds of them, and those that leave meanwhile are left out', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const all = new Set(Array.from({ length: 100 }, (_, n) => n))
  const looked: number[] = []
  const done = inSteps(all, (one) => {
    looked.push(one)
    now += 1
  })
  assert.deepEqual(looked, [0, 1])
  all.delete(2)
  await new Promise(setImmediate)
  assert.deepEqual(looked, [0, 1, 3, 4])
  await done
  assert.equal(looked.length, 99)
})

test('what costs nothing is looked at in one go', (t) => {
  t.mock.method(performance, 'now', () => 0)
  let looked = 0
  void inSteps(Array.from({ length: 100 }), () => {
    looked += 1
  })
  assert.equal(looked, 100)
})

test('a check begins once the previous one has ended, and none after the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let checks = 0
  let end = () => {}
  const stop = checkEvery(1000, () => {
    checks += 1
    return new Promise((resolve) => {
      end = resolve
    })
  })
  t.mock.timers.tick(3000)
  assert.equal(checks, 1)
  end()
  await new Promise(setImmediate)
  t.mock.timers.tick(1000)
  assert.equal(checks, 2)
  end()
  await new Promise(setImmediate)
  stop()
  t.mock.timers.tick(1000)
  assert.equal(checks, 2)
})
