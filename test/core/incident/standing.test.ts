import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, firstMessageOf, isDelivered, isNew, urgencyOf } from '../../../src/core/incident/standing.ts'
import { changesStanding } from '../../../src/core/incident/standing-change.ts'
import { upcomingOf } from '../../../src/core/incident/upcoming.ts'
import { failed, momentAt, PRESSED, pressed } from '../build.ts'

const people = { contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30, persistHours: 12 } }
const MINUTES = 60

test('urgency from the press to the end', () => {
  const sos = pressed(people)
  const steps: number[] = []
  const look = () => steps.push(urgencyOf(sos.incident))
  look()
  sos.runTo(10)
  look()
  sos.does(15, { type: 'decline', contactId: 'contact-Ana' })
  look()
  sos.does(20, { type: 'acknowledge', contactId: 'contact-Ben', promise: { kind: 'coming', etaMinutes: 30 } })
  look()
  assert.deepEqual(answerOf(sos.incident), {
    by: { kind: 'contact', name: 'Ben' },
    kind: 'coming',
    etaMinutes: 30,
    at: momentAt(20),
    overdue: false,
  })
  sos.does(30, { type: 'acknowledge', contactId: null, name: 'Eva' })
  look()
  sos.runTo(20 + 40 * MINUTES)
  look()
  assert.equal(answerOf(sos.incident)?.overdue, true)
  sos.runTo(20 + 46 * MINUTES)
  look()
  sos.resolves(3_000)
  look()
  assert.deepEqual(steps, [0, 1, 2, 3, 4, 2, 1, 5])
})

test('an alarm that reaches nobody is the most urgent, also after an answer to an earlier one', () => {
  const sos = pressed(people)
  sos.runTo(60, () => failed('invalid number', false))
  assert.equal(isDelivered(sos.incident), false)
  assert.equal(urgencyOf(sos.incident), 0)
  sos.acknowledges(70, 'Ana')
  assert.equal(urgencyOf(sos.incident), 3)
  sos.presses(400)
  sos.runTo(400)
  assert.equal(urgencyOf(sos.incident), 1)
  assert.equal(answerOf(sos.incident)?.overdue, true)
})

test('nobody is reached only once something has failed: before that, the first message is awaited', () => {
  const sos = pressed(people)
  const due = { channel: 'sms', at: momentAt(10) }
  assert.deepEqual(firstMessageOf(sos.incident), due)
  const before = sos.incident
  sos.does(10, { type: 'proceed', inFlight: [] })
  assert.deepEqual(firstMessageOf(sos.incident), due, 'while it is sent')
  sos.records(10, sos.incident.deliveries[0]!.id, failed('upstream HTTP 503', true))
  assert.deepEqual([firstMessageOf(sos.incident), urgencyOf(sos.incident)], [null, 0])
  assert.ok(changesStanding(before, sos.incident), 'screens are told')
  for (const given of [
    {},
    { ...people, actuators: { chat: { url: 'https://chat.example/', format: 'text' } } },
  ] as const)
    assert.equal(firstMessageOf(pressed(given).incident), null, 'there is nobody to tell')
  const held = pressed(people)
  held.does(1, { type: 'restore' })
  assert.equal(firstMessageOf(held.incident), null)
})

test('it is new until an operator opens it or takes it, whatever contacts answer', () => {
  const opened = pressed(people)
  opened.acknowledges(20, 'Ana')
  assert.equal(isNew(opened.incident), true)
  const before = opened.incident
  opened.does(30, { type: 'see', name: 'Eva' })
  assert.deepEqual(
    [isNew(opened.incident), opened.incident.seen],
    [false, { at: momentAt(30), name: 'Eva', alertAt: PRESSED }],
  )
  assert.ok(changesStanding(before, opened.incident))
  assert.equal(opened.does(31, { type: 'see', name: 'Ivo' }).verdict, 'unchanged')
  const taken = pressed(people)
  taken.does(5, { type: 'acknowledge', contactId: null, name: 'Eva' })
  assert.equal(isNew(taken.incident), false)
})

test('what follows by itself, the soonest first', () => {
  const sos = pressed(people)
  const ahead = () => upcomingOf(sos.incident).map(({ at, what }) => `${(at - PRESSED) / 1_000} ${what}`)
  assert.deepEqual(ahead(), ['10 message', '40 message', '86400 closes'])
  sos.runTo(40)
  assert.deepEqual(ahead(), ['100 round_ends', '86400 closes'])
  sos.acknowledges(50, 'Ana')
  assert.deepEqual(ahead(), ['1850 check_in', '86450 closes'])
  sos.presses(60)
  assert.deepEqual(ahead(), ['350 realarm', '1850 check_in', '86460 closes'])
  sos.does(70, { type: 'restore' })
  assert.deepEqual(ahead(), [])
})
