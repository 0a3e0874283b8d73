import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftBy, ownerIdOf } from '../../../src/core/incident/owner.ts'
import { answerOf, urgencyOf } from '../../../src/core/incident/standing.ts'
import { momentAt, pressed, type Story } from '../build.ts'

const people = { contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30 } }

/** A story that Eva has taken 20 s after the press, with the first SMS sent. */
function taken(given: Parameters<typeof pressed>[0] = people): Story {
  const sos = pressed(given)
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'eva' })
  sos.told.length = 0
  return sos
}
const leaves = (sos: Story, seconds: number, isAlone: boolean, operatorId = 'eva') =>
  sos.does(seconds, { type: 'leave', operatorId, isAlone })
const takesOver = (sos: Story, seconds: number, from: string | null, operatorId = 'ivo') =>
  sos.does(seconds, { type: 'takeOver', operatorId, name: operatorId, from })

test('a take-over changes whose it is, and nothing else', () => {
  const sos = taken()
  const { watch, cascade, state, snapshotVersion } = sos.incident
  assert.equal(takesOver(sos, 300, 'eva').verdict, 'changed')
  assert.deepEqual(sos.incident.takenBy, {
    ...{ at: momentAt(300), name: 'ivo', operatorId: 'ivo', round: 1 },
    from: { operatorId: 'eva', name: 'Eva' },
  })
  const { incident: after } = sos
  assert.deepEqual(
    [after.watch, after.cascade, after.state, after.snapshotVersion],
    [watch, cascade, state, snapshotVersion],
  )
  assert.equal(after.lastAnswer?.name, 'ivo')
  assert.equal(urgencyOf(after), 4)
  // It goes back only by another one.
  assert.equal(sos.does(310, { type: 'decline', contactId: null, operatorId: 'ivo' }).verdict, 'unchanged')
})

test('a take-over from somebody who no longer has it changes nothing', () => {
  const nobody = pressed(people)
  assert.equal(takesOver(nobody, 30, 'eva').verdict, 'unchanged')
  const sos = taken()
  for (const from of [null, 'lea', 'ivo']) assert.equal(takesOver(sos, 30, from).verdict, 'unchanged', String(from))
  takesOver(sos, 40, 'eva')
  assert.equal(takesOver(sos, 50, 'eva', 'lea').verdict, 'unchanged', 'two at once: the first has it')
  sos.resolves(60)
  assert.equal(takesOver(sos, 70, 'ivo', 'lea').verdict, 'unchanged')
  assert.equal(ownerIdOf(sos.incident), null)
})

test('a take-over answers no alarm that began since', () => {
  const sos = taken()
  sos.presses(700)
  sos.runTo(705)
  assert.ok(urgencyOf(sos.incident) < 3)
  const waiting = sos.incident.deliveries.filter(({ status }) => status === 'scheduled').length
  takesOver(sos, 706, 'eva')
  assert.ok(urgencyOf(sos.incident) < 3, 'it still waits for an answer')
  assert.equal(sos.incident.deliveries.filter(({ status }) => status === 'scheduled').length, waiting)
})

test('the owner leaves and nobody else is on shift: the contacts are alarmed at once, the status stays', () => {
  const sos = taken()
  leaves(sos, 300, true)
  sos.runTo(300)
  assert.deepEqual(sos.told, ['300 sms Ana', '300 sms Ben'])
  assert.equal(sos.incident.state.status, 'acknowledged')
  assert.deepEqual(leftBy(sos.incident), { at: momentAt(300), operatorId: 'eva', name: 'Eva', alarmed: true })
  assert.equal(answerOf(sos.incident), null)
  assert.equal(ownerIdOf(sos.incident), null, 'it is not looked for any more')
  assert.equal(leaves(sos, 330, true).verdict, 'unchanged')
})

test('the owner leaves while others are on shift: it is nobody’s, no contact is alarmed, until they are gone too', () => {
  const sos = taken()
  leaves(sos, 300, false)
  sos.runTo(330)
  assert.deepEqual(sos.told, [])
  assert.equal(urgencyOf(sos.incident), 1, 'unanswered: boards ring')
  assert.equal(ownerIdOf(sos.incident), 'eva', 'it is looked for')
  assert.equal(leaves(sos, 360, false).verdict, 'unchanged')
  leaves(sos, 400, true)
  sos.runTo(400)
  assert.deepEqual(sos.told, ['400 sms Ana', '400 sms Ben'])
})

test('nobody who is on shift takes it: the contacts are alarmed when the answer would have been asked about', () => {
  const sos = taken()
  leaves(sos, 300, false)
  sos.runTo(20 + 35 * 60)
  assert.deepEqual(sos.told, ['2120 sms Ana', '2120 sms Ben'])
})

test('somebody takes it after all: nothing more comes of the leaving', () => {
  const sos = taken()
  leaves(sos, 300, false)
  sos.does(310, { type: 'acknowledge', contactId: null, name: 'Ivo', operatorId: 'ivo' })
  assert.equal(leftBy(sos.incident), null)
  assert.equal(urgencyOf(sos.incident), 4)
  assert.equal(ownerIdOf(sos.incident), 'ivo')
  assert.equal(leaves(sos, 320, true).verdict, 'unchanged', 'it is Ivo’s')
  sos.runTo(320)
  assert.deepEqual(sos.told, [])
})

test('a contact helps: the leaving alarms nobody, and their withdrawal does', () => {
  const sos = taken()
  sos.acknowledges(30, 'Ana')
  leaves(sos, 300, true)
  sos.runTo(310)
  assert.deepEqual(sos.told, [])
  assert.equal(urgencyOf(sos.incident), 3)
  assert.equal(answerOf(sos.incident)?.by.name, 'Ana')
  sos.does(320, { type: 'decline', contactId: 'contact-Ana' })
  sos.runTo(320)
  assert.deepEqual(sos.told, ['320 sms Ben'])
})

test('an alarm that runs already is not begun anew', () => {
  const sos = taken()
  sos.presses(700)
  sos.runTo(705)
  const { round } = sos.incident.cascade
  leaves(sos, 706, true)
  sos.runTo(707)
  assert.equal(sos.incident.cascade.round, round)
})
