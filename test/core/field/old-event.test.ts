import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type HeardSession, isOldEvent, withHeard } from '../../../src/core/field/lorawan/old-event.ts'

// devices.md#lorawan

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 3, 12)
const heard: readonly HeardSession[] = [
  { session: 'before', counter: 900 },
  { session: 's1', counter: 40 },
]

suite('an event of a network server', () => {
  const cases: readonly [string, session: string, counter: number, hoursAgo: number, isOld: boolean][] = [
    ['a day old, before others of its session', 's1', 39, 24.1, true],
    ['a day old, of an earlier session that is remembered', 'before', 12, 30, true],
    ['less than a day old', 's1', 39, 24, false],
    ['the newest of its session', 's1', 40, 48, false],
    ['later than all that was heard', 's1', 41, 48, false],
    ['of a session that was never heard', 's2', 1, 48, false],
    ['of no session', '', 1, 48, false],
    ['received in the future', 's1', 39, -48, false],
  ]
  for (const [name, session, counter, hoursAgo, isOld] of cases) {
    test(`${name}: ${isOld ? 'no alarm' : 'an alarm'}`, () => {
      assert.equal(isOldEvent(heard, { session, counter, at: NOW - hoursAgo * HOUR }, NOW), isOld)
    })
  }

  test('is an alarm where nothing is known', () => {
    assert.equal(isOldEvent([], { session: 's1', counter: 1, at: NOW - 48 * HOUR }, NOW), false)
  })
})

suite('the highest counter of a session', () => {
  test('stays when a lower one is heard, and of the last four sessions', () => {
    const uplinks = [
      ['a', 5],
      ['a', 3],
      ['b', 1],
      ['', 9],
      ['c', 1],
      ['a', 6],
      ['d', 1],
      ['e', 2],
    ] as const
    const kept = uplinks.reduce<readonly HeardSession[]>(
      (all, [session, counter]) => withHeard(all, { session, counter }),
      [],
    )
    assert.deepEqual(
      kept.map(({ session, counter }) => `${session}${counter}`),
      ['c1', 'a6', 'd1', 'e2'],
    )
  })
})
