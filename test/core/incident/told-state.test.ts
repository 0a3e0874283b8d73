import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relationTo, toldState } from '../../../src/core/incident/told-state.ts'

const STATE = { incidentId: 'i', status: 'acknowledged', updatedAt: '2026-01-01T10:00:05.000Z', snapshotVersion: 7 }
const told = toldState(JSON.stringify({ ...STATE, type: 'sos.actuator_update', actuators: {} }))!

for (const [what, event, relation] of [
  ['an older snapshot', { incidentId: 'i', snapshotVersion: 6, updatedAt: '2026-01-01T10:00:09.000Z' }, 'known'],
  ['the same snapshot', { incidentId: 'i', snapshotVersion: 7 }, 'known'],
  ['a newer snapshot', { incidentId: 'i', snapshotVersion: 8, updatedAt: '2026-01-01T10:00:01.000Z' }, 'newer'],
  ['an older change', { incidentId: 'i', status: 'active', updatedAt: '2026-01-01T10:00:04.999Z' }, 'known'],
  ['the change told', { incidentId: 'i', status: 'acknowledged', updatedAt: STATE.updatedAt }, 'known'],
  ['an end in the same millisecond', { incidentId: 'i', status: 'cancelled', updatedAt: STATE.updatedAt }, 'newer'],
  ['a later end', { incidentId: 'i', status: 'cancelled', updatedAt: '2026-01-01T10:00:05.001Z' }, 'newer'],
  ['another incident', { incidentId: 'j', snapshotVersion: 1 }, 'other'],
  ['something without a moment', { incidentId: 'i' }, 'other'],
] as const) {
  test(`${what} is ${relation}`, () => assert.equal(relationTo(told, JSON.stringify(event)), relation))
}

test('what is no event of an incident is no state, and is not compared', () => {
  for (const payload of ['state', 'null', '{}', '{"incidentId":"i"}']) {
    assert.equal(toldState(payload), null)
    assert.equal(relationTo(told, payload), 'other')
  }
})
