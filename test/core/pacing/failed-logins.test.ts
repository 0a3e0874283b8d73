import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailedLogins } from '../../../src/core/pacing/failed-logins.ts'

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
    const logins = new FailedLogins()
    for (let i = 1; i <= failures; i++) logins.failed('192.0.2.1', i * everyMs)
    const now = failures * everyMs
    assert.equal(logins.delayMs('192.0.2.1', now), delayMs)
    assert.equal(logins.delayMs('192.0.2.2', now), 0)
  })
}

test('devices with stale passwords slow nobody down, however often they try; trying many passwords does', () => {
  const stale = new FailedLogins()
  for (let second = 0; second < 3_600; second += 1) {
    for (let device = 0; device < 30; device += 1) stale.failed('192.0.2.1', second * SECOND, `device ${device}`)
  }
  assert.equal(stale.delayMs('192.0.2.1', 3_600 * SECOND), 0)
  const guesser = new FailedLogins()
  for (let n = 0; n < 330; n += 1) guesser.failed('192.0.2.1', 0, `password ${n % 100}`)
  assert.equal(guesser.delayMs('192.0.2.1', 0), 3000)
})

test('failures are forgotten', () => {
  const logins = new FailedLogins()
  for (let i = 0; i < 300; i++) logins.failed('192.0.2.1', 0)
  assert.equal(logins.delayMs('192.0.2.1', 0), 3000)
  assert.equal(logins.delayMs('192.0.2.1', 300 * SECOND), 0)
})

test('the number of addresses does not grow memory without bound', () => {
  const logins = new FailedLogins()
  for (let i = 0; i < 50; i++) logins.failed('first', 0)
  for (let i = 0; i < 10_000; i++) logins.failed(`address ${i}`, 0)
  assert.equal(logins.delayMs('first', 0), 0)
})
