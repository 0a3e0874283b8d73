import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IncidentsInMemory } from '../../harness/incidents-in-memory.ts'
import { alertAt, momentAt, planOf, raiseAt } from '../build.ts'

// rules.md#timers.

const ID = '0190aaaa-0000-7000-8000-000000000001'
const overdue = { dueAt: momentAt(0), note: 'Hochkar', place: null }

/** An alarm of a timer that is under way. */
function timerRanOut() {
  const held = new IncidentsInMemory([], planOf({ contacts: ['Ana', 'Ben'] }))
  held.run(ID, raiseAt(0, alertAt(0), { incidentId: ID, overdue }))
  return { held, again: () => held.incident(ID).cascade.cause.again }
}

test('a press while the alarm of a timer is under way is told by all that still leaves', () => {
  const { held, again } = timerRanOut()
  assert.equal(again(), null)
  const before = held.incident(ID).deliveries
  held.run(ID, raiseAt(20, alertAt(20), { incidentId: ID }))
  assert.deepEqual(again(), { pressedAt: momentAt(20), receivedAt: momentAt(20) })
  assert.deepEqual(held.incident(ID).deliveries, before)
  held.run(ID, raiseAt(40, alertAt(40), { incidentId: ID }))
  assert.equal(again()?.pressedAt, momentAt(20))
})

test('a second timer that runs out meanwhile says nothing new, nor does one hide a press', () => {
  const { held, again } = timerRanOut()
  held.run(ID, raiseAt(20, alertAt(20), { incidentId: ID, overdue }))
  assert.equal(again(), null)
  held.run(ID, raiseAt(30, alertAt(30), { incidentId: ID }))
  held.run(ID, raiseAt(40, alertAt(40), { incidentId: ID, overdue }))
  assert.equal(again()?.pressedAt, momentAt(30))
})
