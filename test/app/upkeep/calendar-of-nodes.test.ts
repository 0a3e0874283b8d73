import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Calendar } from '../../../src/app/upkeep/calendar.ts'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import type { ClockDoubt } from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const MONTH = 30 * 24 * 3_600_000

for (const [what, { movesDeadlines, missesJump }, expected] of [
  ['a node trusts the clock again once another one does', { movesDeadlines: true, missesJump: false }, true],
  ['a node whose clock has not followed the jump yet does not', { movesDeadlines: true, missesJump: true }, false],
  [
    'control: where one process keeps the record, nobody else can say so',
    { movesDeadlines: false, missesJump: false },
    false,
  ],
] as const) {
  test(what, async () => {
    const clock = Object.assign(new VirtualClock(), { movesDeadlines })
    let doubt: ClockDoubt | null = null
    const calendar = new Calendar({
      store: {
        clockRecord: async () => ({ newestMoment: clock.now(), doubt, ...(missesJump && { missesJump }) }),
        keepClock: async (_now, kept) => {
          doubt = kept
        },
        acceptClock: async () => {},
        incidents: async () => [],
        changePending: async () => 0,
      },
      clock,
      isSynchronised: async () => false,
      defaults: defaultSettings,
      log: { info() {}, warn() {}, error() {} },
    })
    const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
    await calendar.start()
    clock.set(MONTH)
    await clock.advance('20 s', settled)
    assert.deepEqual([calendar.isBelieved(), doubt === null], [false, false])
    doubt = null
    await clock.advance('6 s', settled)
    assert.equal(calendar.isBelieved(), expected)
    await calendar.stop()
  })
}
