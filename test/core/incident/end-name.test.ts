import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endNameOf } from '../../../src/core/incident/end-name.ts'
import { isoAfter, momentAt } from '../build.ts'

const NOW = momentAt(60)
const ID = '0190b2e7-4c15-7f08-b3d1-9e8a6c5f2041'
const alert = { timestamp: isoAfter(0) }

// rules.md#ends.
const nameless: readonly unknown[] = [
  undefined,
  null,
  'cancel',
  7,
  [],
  [{ incidentId: ID }],
  {},
  { reason: 'false alarm' },
  { incident_id: ID },
  { incidentId: null, alert: null },
  Object.create({ incidentId: ID }),
]
for (const body of nameless) {
  test(`names nothing: ${JSON.stringify(body)}`, () => assert.equal(endNameOf(body, NOW), null))
}

const malformed: readonly (readonly [body: unknown, field: string])[] = [
  [{ incidentId: '' }, 'incidentId'],
  [{ incidentId: 7, alert }, 'incidentId'],
  [{ incidentId: `${ID}0` }, 'incidentId'],
  [{ alert: 'the last one' }, 'alert'],
  [{ alert: [alert] }, 'alert'],
  [{ alert: {} }, 'alert.timestamp'],
  [{ alert: { deviceId: 'tracker-1' } }, 'alert.timestamp'],
  [{ alert: { timestamp: 'noon' } }, 'alert.timestamp'],
  [{ alert: { timestamp: 1_767_268_800_000 } }, 'alert.timestamp'],
  [{ alert: { ...alert, occurredAt: '2026-01-01' } }, 'alert.occurredAt'],
  [{ alert: { ...alert, deviceId: '' } }, 'alert.deviceId'],
  [{ alert: { ...alert, deviceId: 7 } }, 'alert.deviceId'],
]
for (const [body, field] of malformed) {
  test(`is malformed: ${JSON.stringify(body)}`, () => {
    const name = endNameOf(body, NOW)
    assert.deepEqual(name !== null && 'refused' in name && name.refused.map((one) => one.field), [field])
  })
}

test('names an incident, whatever else it says', () => {
  const named = { end: { kind: 'incident', incidentId: ID } }
  assert.deepEqual(endNameOf({ incidentId: ID.toUpperCase(), alert: 7, note: '' }, NOW), named)
})

const pressOf = (fields: object) => {
  const name = endNameOf({ alert: fields }, NOW)
  assert.ok(name !== null && 'end' in name && name.end.kind === 'press')
  return [name.end.deviceId, name.end.sentAt?.ms ?? null]
}

test('names a press by its device and its time as sent', () => {
  const [sent, ahead] = [momentAt(0), momentAt(3600)]
  assert.deepEqual(pressOf({ ...alert, deviceId: 'tracker-1', latitude: 47 }), ['tracker-1', sent])
  assert.deepEqual(pressOf({ occurredAt: isoAfter(0), timestamp: null, deviceId: null }), [null, sent])
  assert.deepEqual(pressOf({ timestamp: isoAfter(3600), occurredAt: isoAfter(0) }), [null, ahead])
})

test('a time from a stopped clock names no press: it may be the time of every one', () => {
  const stopped = '1970-01-01T00:00:00Z'
  assert.deepEqual(pressOf({ timestamp: stopped }), [null, null])
  assert.deepEqual(pressOf({ timestamp: stopped, occurredAt: isoAfter(0) }), [null, momentAt(0)])
  assert.deepEqual(pressOf({ timestamp: isoAfter(-31 * 24 * 3600) }), [null, null])
})
