import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Attempts } from '../../../src/adapters/broker/attempts.ts'

const SECOND = 1000

for (const { failures, everyMs, delayMs } of [
  { failures: 0, everyMs: 0, delayMs: 0 },
  { failures: 29, everyMs: 0, delayMs: 0 },
  { failures: 30, everyMs: 0, delayMs: 250 },
  { failures: 100, everyMs: 0, delayMs: 1000 },
  { failures: 2000, everyMs: 0, delayMs: 3000 },
  // One device with a stale password that tries every 5 s, all day.
  { failures: 17_280, everyMs: 5 * SECOND, delayMs: 0 },
]) {
  test(`after ${failures} failures, one every ${everyMs} ms, the address waits ${delayMs} ms`, () => {
    const attempts = new Attempts()
    for (let i = 1; i <= failures; i++) attempts.failed('192.0.2.1', i * everyMs)
    const now = failures * everyMs
    assert.equal(attempts.delayMs('192.0.2.1', now), delayMs)
    assert.equal(attempts.delayMs('192.0.2.2', now), 0)
  })
}

test('failures are forgotten', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 300; i++) attempts.failed('192.0.2.1', 0)
  assert.equal(attempts.delayMs('192.0.2.1', 0), 3000)
  assert.equal(attempts.delayMs('192.0.2.1', 300 * SECOND), 0)
})

test('as many addresses as there are do not fill the memory', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 50; i++) attempts.failed('first', 0)
  for (let i = 0; i < 10_000; i++) attempts.failed(`address ${i}`, 0)
  assert.equal(attempts.delayMs('first', 0), 0)
})
