import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentView } from '../../../src/core/incident/event.ts'
import { webhookBody } from '../../../src/core/incident/webhook-body.ts'
import { userWith } from '../build.ts'

const incident = { incidentId: 'i', status: 'active' } as IncidentView
const user = userWith({
  ...{ id: 'u', appId: 'a', externalUserId: 'hiker-1', createdAt: 1, updatedAt: 1 },
  ...{ email: 'mia@example.org', phone: '+4366012345678', address: 'Hut 1' },
})
const contact = {
  contactId: 'c',
  name: 'Ana',
  phone: '+4366000000001',
  email: null,
  language: 'de',
  priority: 1,
  token: 'secret',
  acknowledgedAt: null,
}

test('the webhook gets the incident and only the necessary fields of the user', () => {
  assert.deepEqual(webhookBody({ type: 'sos.opened', now: Date.parse('2026-03-01T12:00:00Z'), incident, user }), {
    type: 'sos.opened',
    timestamp: '2026-03-01T12:00:00.000Z',
    data: { incident, user: { id: 'u', externalUserId: 'hiker-1', name: null, phone: '+4366012345678' } },
  })
})

test('a contact’s own gateway also gets the contact and the link, but no separate token', () => {
  const { data } = webhookBody({
    type: 'sos.closed',
    now: 0,
    incident,
    user,
    contact,
    trackingUrl: 'https://sos.example.org/t/x',
  })
  assert.deepEqual(data.contact, { id: 'c', name: 'Ana', phone: '+4366000000001', email: null, language: 'de' })
  assert.equal(data.trackingUrl, 'https://sos.example.org/t/x')
})

// rules.md#relays.
test('who has raised it is said while nobody else has', () => {
  const { data } = webhookBody({ type: 'sos.opened', now: 0, incident, user, raisedThrough: 'TRK-1' })
  assert.deepEqual(data.raisedThrough, { deviceId: 'TRK-1' })
})

// preparing.md#drills.
test('a receiver that knows only real alarms does not take an exercise for one', () => {
  for (const type of ['opened', 'acknowledged', 'unanswered', 'closed'] as const) {
    const of = (view: typeof incident) => webhookBody({ type: `sos.${type}`, now: 0, incident: view, user })
    const body = of({ ...incident, drill: true })
    assert.deepEqual([body.type, body.drill], [`drill.${type}`, true])
    assert.deepEqual([of(incident).type, of(incident).drill], [`sos.${type}`, undefined])
  }
})
