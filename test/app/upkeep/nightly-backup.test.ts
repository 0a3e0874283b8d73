import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { nightlyBackups } from '../../../src/app/upkeep/nightly-backup.ts'
import { lastMomentAt } from '../../../src/core/text/time-of-day.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const HOUR = 3_600_000

const settled = async () => {
  for (let k = 0; k < 20; k += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

type Made = { readonly at: number; readonly bytes: number }

/** Backups at 03:10 UTC on a virtual clock that begins at noon. `files`: what lies in the directory. */
function nights(files: Made[] = [], start = '2026-03-01T12:00:00Z') {
  const clock = new VirtualClock(Date.parse(start))
  const meter = createMeter()
  const said: string[] = []
  const state = {
    fails: null as string | null,
    afterFailure: null as string | null,
    believed: true,
    hangs: false,
    notedAt: null as number | null,
  }
  const tries: { readonly at: string; readonly mayPrune: boolean }[] = []
  const note = (_fields: object, message: string) => void said.push(message)
  const backups = nightlyBackups({
    at: '03:10',
    timeZone: () => 'UTC',
    async make({ mayPrune, since }, signal) {
      const present = files.find((file) => file.at <= clock.now() && file.at >= since)
      if (present !== undefined) return { present }
      tries.push({ at: new Date(clock.now()).toISOString(), mayPrune })
      if (state.hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      if (state.fails !== null) return { failed: state.fails }
      const made = { at: clock.now(), bytes: 7 }
      files.unshift(made)
      return { madeAt: made.at, bytes: 7, file: '/to/file', afterFailure: state.afterFailure }
    },
    notedAt: async () => state.notedAt,
    isDateBelieved: () => state.believed,
    clock,
    log: { info: note, warn: note, error: note },
    meter,
  })
  backups.start()
  const pass = (hours: number) => clock.advance(`${hours} h`, settled)
  const times = () => tries.map(({ at }) => at.slice(0, 16))
  return { clock, meter, said, state, tries, times, files, backups, pass }
}

const at = (moment: string): Made => ({ at: Date.parse(moment), bytes: 5 })

test('one is made each day at its time, and one that was missed soon after the start', async () => {
  const { backups, times, pass } = nights()
  await pass(48)
  assert.deepEqual(times(), ['2026-03-01T12:05', '2026-03-02T03:10', '2026-03-03T03:10'])
  assert.equal(backups.concern(), null)
  const { last, failure, nextAt } = backups.state()
  assert.deepEqual([last?.bytes, failure, new Date(nextAt).toISOString()], [7, null, '2026-03-04T03:10:00.000Z'])
  await backups.stop()
})

test('one that is in place already is not made again', async () => {
  const { backups, times, pass, state } = nights([at('2026-03-01T03:10:30Z')])
  await pass(16)
  assert.deepEqual(times(), ['2026-03-02T03:10'])
  state.believed = false
  await pass(24)
  await backups.stop()
})

test('what is made while the date is in doubt deletes nothing', async () => {
  const { backups, tries, pass, state } = nights()
  state.believed = false
  await pass(1)
  assert.deepEqual(
    tries.map(({ mayPrune }) => mayPrune),
    [false],
  )
  await backups.stop()
})

test('a failed one is told at once, tried again after an hour, and told for as long as it lasts', async () => {
  const { backups, times, pass, state, said, meter } = nights()
  state.fails = 'there is no directory /mnt/stick'
  await pass(2)
  assert.deepEqual(times(), ['2026-03-01T12:05', '2026-03-01T13:06'])
  assert.equal(backups.concern(), 'the last backup failed: there is no directory /mnt/stick')
  assert.equal(said.filter((line) => line.startsWith('THE BACKUP FAILED')).length, 2)
  assert.match(await meter.text(), /tocsin_backups_total\{result="failed"\} 2/)
  state.fails = null
  state.afterFailure = '/bin/copy (backup.after) ended with exit code 3'
  await pass(1)
  assert.equal(backups.concern(), 'the last backup was made, but /bin/copy (backup.after) ended with exit code 3')
  assert.equal(times().length, 3)
  state.afterFailure = null
  await pass(24)
  assert.equal(backups.concern(), null)
  await backups.stop()
})

test('one that somebody made by hand after a failure ends it', async () => {
  const { backups, pass, state, files, clock, times } = nights()
  state.fails = 'the disk is full'
  await pass(1)
  files.unshift({ at: clock.now(), bytes: 9 })
  state.notedAt = clock.now()
  await clock.advance('2 min', settled)
  assert.deepEqual([backups.concern(), backups.state().last?.bytes, times().length], [null, 9, 1])
  await backups.stop()
})

test('two days without one are told, whatever was told before', async () => {
  const { backups, pass, state } = nights([at('2026-03-01T11:00:00Z')])
  await pass(1)
  state.hangs = true
  await pass(50)
  assert.equal(backups.concern(), 'the last backup is of 2026-03-01T11:00:00.000Z, more than two days ago; see the log')
  await backups.stop()
  const never = nights()
  never.state.hangs = true
  await never.pass(47)
  assert.equal(never.backups.concern(), null)
  await never.pass(2)
  assert.match(never.backups.concern() ?? '', /^no backup has been made since the service started/)
  await never.backups.stop()
})

test('a clock that jumps, in either direction, neither stops the backups nor makes many', async () => {
  const { backups, times, pass, clock } = nights()
  await pass(1)
  clock.set(365 * 24 * HOUR)
  await pass(1)
  clock.set(-365 * 24 * HOUR)
  await pass(24)
  assert.deepEqual(times(), ['2026-03-01T12:05', '2027-03-01T13:01', '2026-03-02T03:10'])
  await backups.stop()
})

test('a stop ends one under way, and says nothing of it', async () => {
  const { backups, pass, state, said, times } = nights()
  state.hangs = true
  await pass(1)
  await backups.stop()
  assert.deepEqual([times().length, said, backups.concern()], [1, [], null])
})

test('a time of day is that of the zone, also when its clocks change', () => {
  const last = (now: string, timeZone: string, time = '03:10') =>
    new Date(lastMomentAt(time, { now: Date.parse(now), timeZone })).toISOString()
  assert.equal(last('2026-07-01T12:00:00Z', 'UTC'), '2026-07-01T03:10:00.000Z')
  assert.equal(last('2026-07-01T03:09:59.999Z', 'UTC'), '2026-06-30T03:10:00.000Z')
  assert.equal(last('2026-07-01T03:10:00Z', 'UTC'), '2026-07-01T03:10:00.000Z')
  assert.equal(last('2026-07-01T12:00:00Z', 'Europe/Vienna'), '2026-07-01T01:10:00.000Z')
  assert.equal(last('2026-01-01T01:00:00Z', 'Pacific/Auckland'), '2025-12-31T14:10:00.000Z')
  assert.equal(last('2026-01-01T12:00:00Z', 'Asia/Kathmandu'), '2025-12-31T21:25:00.000Z')
  // Clocks go from 2:00 to 3:00 on 29 March, from 3:00 to 2:00 on 25 October.
  assert.equal(last('2026-03-29T12:00:00Z', 'Europe/Vienna'), '2026-03-29T01:10:00.000Z')
  assert.equal(last('2026-10-25T12:00:00Z', 'Europe/Vienna'), '2026-10-25T02:10:00.000Z')
  // A time that is skipped, and one that comes twice: once each all the same.
  for (const [day, time] of [
    ['2026-03-29', '02:30'],
    ['2026-10-25', '02:30'],
  ] as const) {
    const moments = new Set<string>()
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      const now = new Date(Date.parse(`${day}T03:00:00Z`) + minute * 60_000).toISOString()
      if (now < `${day}T22:00`) moments.add(last(now, 'Europe/Vienna', time))
    }
    assert.deepEqual(
      [...moments].map((moment) => moment.slice(0, 10)),
      [day],
    )
  }
})
