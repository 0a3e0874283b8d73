import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operator } from '../../../src/core/operator/operator.ts'
import { SESSION_IDLE_MS } from '../../../src/core/operator/session.ts'
import {
  decideAnswerHandOver,
  HAND_OVER_MS,
  offerStateOf,
  onShift,
  readsNote,
  type SessionSpan,
  worksWith,
} from '../../../src/core/operator/shift.ts'
import { DAY } from '../../../src/lib/durations.ts'

const NOW = 1_800_000_000_000

test('an offer may be accepted for five minutes, and one from the future not at all', () => {
  const offer = { fromId: 'eva', toId: 'ivo', offeredAt: NOW, answer: null, answeredAt: null } as const
  for (const [at, state] of [
    [NOW, 'offered'],
    [NOW + HAND_OVER_MS - 1, 'offered'],
    [NOW + HAND_OVER_MS, 'lapsed'],
    [NOW - HAND_OVER_MS, 'lapsed'],
  ] as const) {
    assert.equal(offerStateOf(offer, at), state)
    assert.equal(offerStateOf({ ...offer, answer: 'declined', answeredAt: NOW }, at), 'declined')
  }
})

const operator = (id: string, given: Partial<Operator> = {}): Operator => ({
  ...{ id, login: id, name: id, role: 'operator', applications: null, disabled: false },
  ...{ createdAt: 0, updatedAt: 0, signedInAt: null },
  ...given,
})
const session = (operatorId: string, given: Partial<SessionSpan> = {}): SessionSpan => ({
  ...{ operatorId, createdAt: NOW - 1000, seenAt: NOW - 500, expiresAt: NOW + DAY },
  ...given,
})

test('on shift is who is signed in and may take an alarm', () => {
  const people = [
    operator('eva'),
    operator('ivo', { role: 'admin' }),
    operator('lea', { role: 'viewer' }),
    operator('max', { disabled: true }),
    operator('uwe'),
  ]
  const sessions = [
    session('eva', { seenAt: NOW - 900 }),
    session('eva'),
    session('ivo', { seenAt: NOW - SESSION_IDLE_MS }),
    session('lea'),
    session('max'),
  ]
  const names = (now: number | null) =>
    onShift(people, sessions, now).map(({ operator: { id }, seenAt }) => [id, seenAt])
  assert.deepEqual(names(NOW), [['eva', NOW - 500]])
  // Where the date is not believed, it has ended nobody's session.
  assert.deepEqual(names(null), [
    ['eva', NOW - 500],
    ['ivo', NOW - SESSION_IDLE_MS],
  ])
})

test('a note is read by who may see all that it may be about', () => {
  const note = (applications: readonly string[] | null) => ({ operatorId: 'eva', at: NOW, text: 'x', applications })
  for (const [mine, about, reads] of [
    [null, null, true],
    [null, ['a'], true],
    [['a'], null, false],
    [['a'], ['a'], true],
    [['a'], ['a', 'b'], false],
    [['a', 'b'], ['a'], true],
  ] as const) {
    assert.equal(readsNote({ applications: mine }, note(about)), reads, JSON.stringify([mine, about]))
  }
  const works = (one: readonly string[] | null, other: readonly string[] | null) =>
    worksWith({ applications: one }, { applications: other })
  assert.deepEqual([works(null, ['a']), works(['a'], ['b', 'a']), works(['a'], ['b'])], [true, true, false])
})

test('an offer is answered once, in time, by the operator it is for', () => {
  const offer = { fromId: 'eva', toId: 'ivo', offeredAt: 0, answer: null, answeredAt: null }
  const given = { toId: 'ivo', answer: 'accepted', at: 5 } as const
  assert.deepEqual(decideAnswerHandOver(offer, given), { update: { ...offer, answer: 'accepted', answeredAt: 5 } })
  const over = { refused: 'offer_over' }
  assert.deepEqual(decideAnswerHandOver(null, given), over)
  assert.deepEqual(decideAnswerHandOver(offer, { ...given, toId: 'lea' }), over)
  assert.deepEqual(decideAnswerHandOver(offer, { ...given, at: HAND_OVER_MS }), over)
  assert.deepEqual(decideAnswerHandOver({ ...offer, answer: 'declined', answeredAt: 4 }, given), over)
})
