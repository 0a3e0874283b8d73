import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createSystemClock, type SystemClock } from '../../../src/adapters/system/clock.ts'
import { until } from '../../harness/wait.ts'

const START = Date.parse('2026-03-01T12:00:00Z')

/** A machine whose two clocks the test sets. */
function machine(t: TestContext): { wall: number; monotonic: number; clock: SystemClock; shifts: number[] } {
  const site = { wall: START, monotonic: 5_000 }
  const clock = createSystemClock(
    () => site.wall,
    () => site.monotonic,
  )
  const shifts: number[] = []
  clock.onShift((byMs) => shifts.push(byMs))
  t.after(() => clock.stop())
  return Object.assign(site, { clock, shifts })
}

test('time starts at the wall clock and runs on with the monotonic one', (t) => {
  const site = machine(t)
  assert.equal(site.clock.now(), START)
  site.monotonic += 1_234.9
  assert.equal(site.clock.now(), START + 1_234)
})

test('a wall clock that is set does not move time before it is looked at', (t) => {
  const site = machine(t)
  site.wall += 3_600_000
  assert.equal(site.clock.now(), START)
  assert.deepEqual(site.shifts, [])
})

for (const [what, byMs] of [
  ['forward by an hour', 3_600_000],
  ['back by a year', -365 * 24 * 3_600_000],
  ['forward by a little more than it may differ', 251],
  ['back by a little more than it may differ', -251],
] as const) {
  test(`a wall clock that was set ${what} is taken over, and the listeners know it in the same tick`, (t) => {
    const site = machine(t)
    site.monotonic += 1_000
    site.wall += 1_000 + byMs
    site.clock.compare()
    assert.equal(site.clock.now(), site.wall)
    assert.deepEqual(site.shifts, [byMs])
    site.clock.compare()
    assert.deepEqual(site.shifts, [byMs])
  })
}

for (const byMs of [250, -250, 0]) {
  test(`a difference of ${byMs} ms is left as it is`, (t) => {
    const site = machine(t)
    site.wall += byMs
    site.clock.compare()
    assert.equal(site.clock.now(), START)
    assert.deepEqual(site.shifts, [])
  })
}

test('small differences do not add up unseen', (t) => {
  const site = machine(t)
  for (let second = 0; second < 10; second++) {
    site.monotonic += 1_000
    site.wall += 1_060
    site.clock.compare()
  }
  assert.deepEqual(site.shifts, [300, 300])
  assert.equal(site.clock.now(), site.wall)
})

test('the clock looks by itself', async (t) => {
  const site = machine(t)
  site.wall += 60_000
  await until('the shift is told', () => site.shifts.length > 0)
  assert.deepEqual(site.shifts, [60_000])
})

test('a timer wakes at its time and not before', async (t) => {
  const clock = createSystemClock()
  t.after(() => clock.stop())
  const begun = performance.now()
  await new Promise<void>((resolve) => clock.after(20, resolve))
  assert.ok(performance.now() - begun >= 20)
})

test('a timer that is called off does not wake', async (t) => {
  const clock = createSystemClock()
  t.after(() => clock.stop())
  let woken = false
  const callOff = clock.after(1, () => {
    woken = true
  })
  callOff()
  await new Promise<void>((resolve) => clock.after(20, resolve))
  assert.equal(woken, false)
})

test('a timer of no or negative time wakes, but not at once', async (t) => {
  const clock = createSystemClock()
  t.after(() => clock.stop())
  let before = true
  const woken = Promise.all(
    [0, -5].map((delay) => new Promise<boolean>((resolve) => clock.after(delay, () => resolve(before)))),
  )
  before = false
  assert.deepEqual(await woken, [false, false])
})

test('a timer of more than 24.8 days waits, where setTimeout alone would fire at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const site = machine(t)
  const pass = (ms: number) => {
    site.monotonic += ms
    t.mock.timers.tick(ms)
  }
  const MONTH = 30 * 24 * 3_600_000
  let woken = 0
  site.clock.after(2 * MONTH, () => woken++)
  pass(2 ** 31 - 1)
  pass(2 ** 31 - 1)
  pass(2 * MONTH - 2 * (2 ** 31 - 1) - 1)
  assert.equal(woken, 0)
  pass(1)
  assert.equal(woken, 1)
})

test('a timer keeps its distance while the wall clock is set', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const site = machine(t)
  let woken = false
  site.clock.after(10_000, () => {
    woken = true
  })
  site.wall += 3_600_000
  site.clock.compare()
  site.monotonic += 9_999
  t.mock.timers.tick(9_999)
  assert.equal(woken, false)
  site.monotonic += 1
  t.mock.timers.tick(1)
  assert.equal(woken, true)
})
