import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateLimitedLog } from '../../../../src/adapters/platform/system/rate-limited-log.ts'
import { HOUR, MINUTE } from '../../../../src/lib/durations.ts'

function listening() {
  const lines: Record<string, unknown>[] = []
  let now = 1_800_000_000_000
  const note = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log = rateLimitedLog({ info: note, warn: note, error: note }, () => now)
  const passes = (ms: number): void => {
    now += ms
  }
  return { log, lines, passes }
}

test('a distinct event is logged once an hour, with the number suppressed', () => {
  const { log, lines, passes } = listening()
  const say = () => log.warn({ userId: 'mia' }, 'unknown device', 'tracker-1')
  for (let n = 0; n < 300_000; n += 1) say()
  passes(59 * MINUTE)
  say()
  assert.deepEqual(lines, [{ userId: 'mia', message: 'unknown device' }])
  passes(MINUTE)
  say()
  assert.deepEqual(lines[1], { userId: 'mia', message: 'unknown device', leftOut: 300_000 })
})

test('a user who invents events gets a bounded number of lines, and hides no other user', () => {
  const { log, lines } = listening()
  for (let n = 0; n < 10_000; n += 1) log.warn({ userId: 'mallory' }, 'unknown device', `made-up-${n}`)
  assert.ok(lines.length <= 20, `${lines.length} lines`)
  log.warn({ userId: 'mia' }, 'unknown device', 'tracker-1')
  assert.deepEqual(lines.at(-1), { userId: 'mia', message: 'unknown device' })
})

test('one message about one user gets a hundred lines, then one every 36 s', () => {
  const { log, lines, passes } = listening()
  const say = (n: number) => log.info({ userId: 'mia', n }, 'alert taken in')
  for (let n = 0; n < 1000; n += 1) say(n)
  assert.equal(lines.length, 100)
  passes(36_001)
  say(1000)
  say(1001)
  assert.deepEqual(lines.at(-1), { userId: 'mia', n: 1000, message: 'alert taken in', leftOut: 900 })
  assert.equal(lines.length, 101)
  // Another message of the same user, another user, and messages without a user are counted separately.
  log.info({ userId: 'mia' }, 'incident changed')
  log.info({ userId: 'ana' }, 'alert taken in')
  log.info({}, 'alert taken in')
  assert.equal(lines.length, 104)
})

test('setting the clock neither silences nor opens the log', () => {
  const { log, lines, passes } = listening()
  const say = () => log.warn({ userId: 'mia' }, 'unknown device', 'tracker-1')
  say()
  passes(-200 * 24 * HOUR)
  say()
  assert.equal(lines.length, 2)
  for (let n = 0; n < 1000; n += 1) log.info({ userId: 'mia' }, 'alert taken in')
  passes(-HOUR)
  for (let n = 0; n < 1000; n += 1) log.info({ userId: 'mia' }, 'alert taken in')
  assert.equal(lines.length, 102)
})

test('it keeps a bounded number of counts', () => {
  const { log, lines } = listening()
  for (let n = 0; n < 50_000; n += 1) log.info({ userId: `user-${n}` }, 'alert taken in')
  assert.equal(lines.length, 50_000)
  // The oldest count has been dropped, so it starts again.
  for (let n = 0; n < 101; n += 1) log.info({ userId: 'user-0' }, 'alert taken in')
  assert.equal(lines.length, 50_100)
})
