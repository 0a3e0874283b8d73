import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideEndTimer,
  decideExtendTimer,
  decideSetTimer,
  mayTextTimer,
  raisedTimer,
  raisesNow,
} from '../../../src/core/timer/decide.ts'
import {
  MAX_PAST_TIMERS,
  MAX_TIMER_TEXTS,
  MAX_TIMERS,
  TIMER_GRACE_MS,
  type Timer,
} from '../../../src/core/timer/timer.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import { APP, momentAt, OWNER, RELAY } from '../build.ts'

const NOW = momentAt(0)
const given = { id: 'new', userId: OWNER, dueAt: NOW + HOUR, note: 'Glungezer', position: null, now: NOW }

const timerDue = (dueAt: number, changed: Partial<Timer> = {}): Timer => ({
  ...{ id: `due-${dueAt}`, appId: APP, userId: OWNER, dueAt, opensAt: dueAt + TIMER_GRACE_MS },
  ...{ remindsAt: dueAt - 15 * MINUTE, note: null, position: null, status: 'running', overAt: null, incidentId: null },
  ...{ createdAt: NOW - HOUR, updatedAt: NOW - HOUR },
  ...changed,
})
const others = (count: number): readonly Timer[] =>
  Array.from({ length: count }, (_, place) => timerDue(NOW + (place + 2) * HOUR))
const running = timerDue(NOW + HOUR)
const ended = timerDue(NOW + HOUR, { status: 'ended', overAt: NOW - 1, remindsAt: null })
const raised = timerDue(NOW - HOUR, { status: 'raised', overAt: NOW - 1, remindsAt: null, incidentId: 'incident' })

test('a new timer is a row, opens 5 min after its moment and reminds 15 min before it', () => {
  const set = decideSetTimer({ appId: APP, running: others(MAX_TIMERS - 1) }, given)
  const { now: _, ...fields } = given
  const timer = timerDue(given.dueAt, { ...fields, createdAt: NOW, updatedAt: NOW })
  assert.deepEqual(set, {
    insert: timer,
    forget: { userId: OWNER, keep: MAX_PAST_TIMERS },
    result: { timer, isNew: true },
  })
})

test('a reminder whose moment has passed is left out', () => {
  const set = decideSetTimer({ appId: APP, running: [] }, { ...given, dueAt: NOW + 15 * MINUTE })
  assert.ok('insert' in set)
  assert.equal(set.insert?.remindsAt, null)
})

for (const [story, owner, expected] of [
  ['of nobody', { appId: null, running: [] }, { refused: 'user_not_found' }],
  ['beyond the limit', { appId: APP, running: others(MAX_TIMERS) }, { refused: 'timer_limit' }],
  ['for a moment that has one', { appId: APP, running: [running] }, { result: { timer: running, isNew: false } }],
  [
    'for a moment that has one, at the limit',
    { appId: APP, running: [running, ...others(MAX_TIMERS - 1)] },
    { result: { timer: running, isNew: false } },
  ],
] as const) {
  test(`a timer ${story} is not written`, () => assert.deepEqual(decideSetTimer(owner, given), expected))
}

const later = { dueAt: NOW + 3 * HOUR, opensAt: NOW + 3 * HOUR + TIMER_GRACE_MS, remindsAt: NOW + 165 * MINUTE }
const moved = { ...running, ...later, updatedAt: NOW }
const notFound = { refused: 'timer_not_found' }
const over = { refused: 'timer_over' }

for (const [story, timer, dueAt, expected] of [
  ['later moves all three moments', running, later.dueAt, { update: moved, result: moved }],
  ['to the same moment changes nothing', running, running.dueAt, { result: running }],
  ['to an earlier moment changes nothing', running, running.dueAt - 1, { result: running }],
  ['one that has ended is refused', ended, later.dueAt, over],
  ['one that has raised an SOS is refused', raised, later.dueAt, over],
  ["another's is refused", timerDue(NOW + HOUR, { userId: RELAY }), later.dueAt, notFound],
  ['an unknown one is refused', null, later.dueAt, notFound],
] as const) {
  test(`extending ${story}`, () =>
    assert.deepEqual(decideExtendTimer(timer, { userId: OWNER, dueAt, now: NOW }), expected))
}

const overNow = { ...running, status: 'ended', overAt: NOW, remindsAt: null, updatedAt: NOW }

for (const [story, timer, expected] of [
  ['a running one ends it without a reminder', running, { update: overNow, result: overNow }],
  ['one that has ended changes nothing', ended, { result: ended }],
  ['one that has raised an SOS is refused', raised, over],
  ["another's is refused", timerDue(NOW + HOUR, { userId: RELAY }), notFound],
  ['an unknown one is refused', null, notFound],
] as const) {
  test(`ending ${story}`, () => assert.deepEqual(decideEndTimer(timer, { userId: OWNER, now: NOW }), expected))
}

test('only a running timer whose deadline has come raises an SOS, by the deadline that the clock may have moved', () => {
  const due = timerDue(NOW - TIMER_GRACE_MS)
  for (const [timer, now, raises] of [
    [due, NOW, true],
    [due, NOW - 1, false],
    [{ ...due, opensAt: NOW + 1 }, NOW, false],
    [{ ...due, status: 'ended' }, NOW, false],
    [{ ...due, status: 'raised' }, NOW, false],
  ] as const) {
    assert.equal(raisesNow(timer, now), raises)
  }
  const after = { ...due, status: 'raised', overAt: NOW, incidentId: 'incident', remindsAt: null, updatedAt: NOW }
  assert.deepEqual(raisedTimer(due, 'incident', NOW), after)
})

for (const [story, counts, may] of [
  ['with room for both', { ofUser: MAX_TIMER_TEXTS - 1, ofPhone: MAX_TIMER_TEXTS - 1 }, true],
  ['to a user who had all of a day', { ofUser: MAX_TIMER_TEXTS, ofPhone: 0 }, false],
  ['to a number that had all of a day', { ofUser: 0, ofPhone: MAX_TIMER_TEXTS }, false],
  ['to an unknown user', { ofUser: null, ofPhone: 0 }, false],
] as const) {
  test(`a reminder by SMS ${story} is ${may ? 'sent' : 'left out'}`, () => assert.equal(mayTextTimer(counts), may))
}
