import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createSystemClock, type SystemClock } from '../../../../src/adapters/platform/system/clock.ts'
import { until } from '../../../harness/wait.ts'

const START = Date.parse('2026-03-01T12:00:00Z')

type Machine = { wall: number; monotonic: number; suspended: number; clock: SystemClock; shifts: number[] }

/** A machine whose clocks the test sets. `suspended`: the total time of suspension since it was switched on. */
function machine(t: TestContext): Machine {
  const site = { wall: START, monotonic: 5_000, suspended: 7_777 }
  const clock = createSystemClock({
    wall: () => site.wall,
    monotonic: () => site.monotonic,
    sinceBoot: () => site.monotonic + site.suspended,
  })
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

test('setting the wall clock does not move time before the next check', (t) => {
  const site = machine(t)
  site.wall += 3_600_000
  assert.equal(site.clock.now(), START)
  assert.deepEqual(site.shifts, [])
})

for (const [what, byMs] of [
  ['forward by an hour', 3_600_000],
  ['back by a year', -365 * 24 * 3_600_000],
  ['forward by just over the tolerance', 251],
  ['back by just over the tolerance', -251],
] as const) {
  test(`a wall clock that was set ${what} is adopted, and the listeners are called in the same tick`, (t) => {
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
  test(`a difference of ${byMs} ms is ignored`, (t) => {
    const site = machine(t)
    site.wall += byMs
    site.clock.compare()
    assert.equal(site.clock.now(), START)
    assert.deepEqual(site.shifts, [])
  })
}

test('small differences do not accumulate unnoticed', (t) => {
  const site = machine(t)
  for (let second = 0; second < 10; second++) {
    site.monotonic += 1_000
    site.wall += 1_060
    site.clock.compare()
  }
  assert.deepEqual(site.shifts, [300, 300])
  assert.equal(site.clock.now(), site.wall)
})

test('the clock checks itself', async (t) => {
  const site = machine(t)
  site.wall += 60_000
  await until('the shift is told', () => site.shifts.length > 0)
  assert.deepEqual(site.shifts, [60_000])
})

test('a timer fires at its time and not before', async (t) => {
  const clock = createSystemClock()
  t.after(() => clock.stop())
  const begun = performance.now()
  await new Promise<void>((resolve) => clock.after(20, resolve))
  assert.ok(performance.now() - begun >= 20)
})

test('a cancelled timer does not fire', async (t) => {
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

test('a timer of zero or negative time fires, but not immediately', async (t) => {
  const clock = createSystemClock()
  t.after(() => clock.stop())
  let before = true
  const woken = Promise.all(
    [0, -5].map((delay) => new Promise<boolean>((resolve) => clock.after(delay, () => resolve(before)))),
  )
  before = false
  assert.deepEqual(await woken, [false, false])
})

test('a timer of more than 24.8 days waits, where setTimeout alone would fire immediately', (t) => {
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

test('a timer of more than 24.8 days never overflows setTimeout, which would then fire every millisecond', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const { clock } = machine(t)
  const cancel = clock.after(2 ** 31, () => {})
  await new Promise((resolve) => setImmediate(resolve))
  cancel()
  // The process has other tests, which may cause other warnings.
  assert.ok(!warnings.includes('TimeoutOverflowWarning'))
})

test('a timer keeps its delay when the wall clock is set', (t) => {
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

// CLOCK_MONOTONIC and every timer stop while a machine is suspended; the deadlines of an SOS do not.
const HOUR = 3_600_000
const suspend = (site: Machine, ms: number) => {
  site.wall += ms
  site.suspended += ms
}

test('the time of a suspension counts, and is not a clock that was set', (t) => {
  const site = machine(t)
  suspend(site, HOUR)
  site.clock.compare()
  assert.equal(site.clock.now(), START + HOUR)
  assert.deepEqual(site.shifts, [])
})

test('the first caller after a suspension gets the right time, before the clock has checked', (t) => {
  const site = machine(t)
  suspend(site, HOUR)
  assert.equal(site.clock.now(), START + HOUR)
})

test('timers that expired during a suspension fire at the resume, the others at their time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const site = machine(t)
  const woken: string[] = []
  site.clock.after(HOUR / 2, () => woken.push('half an hour'))
  site.clock.after(HOUR + 60_000, () => woken.push('an hour and a minute'))
  const calledOff = site.clock.after(HOUR / 2, () => woken.push('called off'))
  calledOff()
  suspend(site, HOUR)
  site.clock.compare()
  t.mock.timers.tick(1)
  assert.deepEqual(woken, ['half an hour'])
  site.monotonic += 59_000
  t.mock.timers.tick(59_000)
  assert.deepEqual(woken, ['half an hour'])
  site.monotonic += 1_000
  t.mock.timers.tick(1_000)
  assert.deepEqual(woken, ['half an hour', 'an hour and a minute'])
})

test('a clock that is set during a suspension is reported as such, by the difference alone', (t) => {
  const site = machine(t)
  suspend(site, HOUR)
  site.wall += 2 * HOUR
  site.clock.compare()
  assert.equal(site.clock.now(), START + 3 * HOUR)
  assert.deepEqual(site.shifts, [2 * HOUR])
})

test('a busy machine between two readings is not a clock that was set', (t) => {
  let [now, busy] = [5_000, true]
  const shifts: number[] = []
  const clock = createSystemClock({
    wall: () => START + now,
    monotonic: () => now,
    sinceBoot: () => {
      if (busy) now += 400
      busy = false
      return now
    },
  })
  t.after(() => clock.stop())
  clock.onShift((byMs) => shifts.push(byMs))
  busy = true
  clock.compare()
  assert.deepEqual(shifts, [])
  assert.equal(clock.now(), START + now)
})

test('a timer that is set after a suspension waits its full time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const site = machine(t)
  suspend(site, HOUR)
  site.clock.compare()
  let woken = false
  site.clock.after(10_000, () => {
    woken = true
  })
  site.monotonic += 9_999
  t.mock.timers.tick(9_999)
  assert.equal(woken, false)
  site.monotonic += 1
  t.mock.timers.tick(1)
  assert.equal(woken, true)
})
