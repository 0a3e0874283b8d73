import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import { historyItem, incidentView, relayView } from '../../../src/core/incident/event.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { talkLineView } from '../../../src/core/incident/talk.ts'
import { APP, alertAt, everyActuator, isoAfter, OWNER, planOf, pressed, raiseAt } from '../build.ts'

const envelopeKeys = [
  'type',
  'appId',
  'userId',
  'incidentId',
  'status',
  'occurredAt',
  'openedAt',
  'updatedAt',
  'acknowledgedAt',
  'cancelledAt',
  'resolvedAt',
].sort()
const answered = [...envelopeKeys, 'acknowledgedBy'].sort()
const withActuators = [...answered, 'snapshotVersion', 'actuators'].sort()

test('processed carries the whole envelope and the plan, unset timestamps null', () => {
  const { opening, incident } = pressed({ contacts: ['Ana'] })
  assert.deepEqual(
    opening.events.map(({ message }) => message),
    [
      {
        type: 'processed',
        appId: APP,
        userId: OWNER,
        incidentId: incident.id,
        status: 'active',
        occurredAt: isoAfter(0),
        openedAt: isoAfter(0),
        updatedAt: isoAfter(0),
        acknowledgedAt: null,
        cancelledAt: null,
        resolvedAt: null,
        snapshotVersion: 1,
        actuators: snapshotOf(incident),
      },
    ],
  )
})

test('occurredAt is the event time as sent, openedAt the moment of opening', () => {
  const timestamp = '2026-01-01T12:59:58.123456789+01:00'
  const raise = raiseAt(0, alertAt(0, { timestamp }))
  const { events } = decide({ incident: null, plan: planOf({}), earlier: null }, raise)
  assert.equal(events[0]?.message.occurredAt, timestamp)
  assert.equal(events[0]?.message.openedAt, isoAfter(0))
})

// rules.md#events: events with only an envelope have no snapshotVersion either.
test('every event carries exactly the fields of its type', () => {
  const acknowledged = pressed({ contacts: ['Ana'] })
  acknowledged.runTo(10)
  const messages = [
    ...acknowledged.acknowledges(15, 'Ana').events,
    ...acknowledged.resolves(20).events,
    ...pressed({ contacts: ['Ana'] }).cancels(5).events,
  ].map(({ message }) => message)
  assert.deepEqual(
    messages.map(({ type }) => type),
    ['acknowledged', 'sos.actuator_update', 'resolved', 'cancelled', 'sos.actuator_update'],
  )
  for (const message of messages) {
    const { type } = message
    const expected = type === 'sos.actuator_update' ? withActuators : type === 'acknowledged' ? answered : envelopeKeys
    assert.deepEqual(Object.keys(message).sort(), expected, type)
  }
})

test('a closed incident keeps its acknowledgement time and has one of the two end times', () => {
  const cancelled = pressed({ contacts: ['Ana'] })
  cancelled.acknowledges(15, 'Ana')
  cancelled.cancels(20)
  const resolved = pressed({ contacts: ['Ana'] })
  resolved.resolves(20)
  const timesOf = ({ incident }: typeof resolved) => {
    const { status, acknowledgedAt, cancelledAt, resolvedAt, updatedAt } = incidentView(incident, null)
    return { status, acknowledgedAt, cancelledAt, resolvedAt, updatedAt }
  }
  assert.deepEqual(timesOf(cancelled), {
    status: 'cancelled',
    acknowledgedAt: isoAfter(15),
    cancelledAt: isoAfter(20),
    resolvedAt: null,
    updatedAt: isoAfter(20),
  })
  assert.deepEqual(timesOf(resolved), {
    status: 'resolved',
    acknowledgedAt: null,
    cancelledAt: null,
    resolvedAt: isoAfter(20),
    updatedAt: isoAfter(20),
  })
})

test('the REST incident is the envelope without type, with snapshot, position and relay', () => {
  const { incident, opening } = pressed({ contacts: ['Ana'] })
  const { type: _, ...message } = opening.events[0]!.message
  assert.deepEqual(incidentView(incident, null), { ...message, acknowledgedBy: null, lastPosition: null, relay: null })
  const position = { latitude: 47, longitude: 15, altitude: null, at: isoAfter(1) }
  assert.deepEqual(incidentView(incident, position).lastPosition, position)
})

test('a listed relay is named, and a relay sees neither the contacts nor any position but its own', () => {
  const raise = raiseAt(0, alertAt(0), { reporterId: 'gateway' })
  const plan = planOf({ contacts: ['Ana'], actuators: everyActuator })
  const { incident } = decide({ incident: null, plan, earlier: null, isListed: true }, raise)
  assert.ok(incident !== null)
  const position = (at: number) => ({ latitude: 47 + at, longitude: 15, altitude: null, at: isoAfter(at) })
  const view = incidentView(incident, position(2))
  assert.deepEqual(view.relay, { userId: 'gateway' })
  assert.equal(view.userId, OWNER)
  const seen = relayView(view, { sent: position(1), relayUserId: 'gateway' })
  assert.deepEqual(seen, {
    ...view,
    lastPosition: position(1),
    actuators: {
      ...view.actuators,
      items: view.actuators.items.map((item) =>
        item.type === 'emergency_contacts' ? { ...item, contacts: [] } : item,
      ),
    },
  })
  assert.equal(JSON.stringify(seen).includes('Ana'), false)
})

test('a history item adds the accepted alert and the trail', () => {
  const raise = raiseAt(0, alertAt(0, { mobileBattery: 101, altitude: 12 }))
  const { incident } = decide({ incident: null, plan: planOf({}), earlier: null }, raise)
  assert.ok(incident !== null)
  const trail = [{ latitude: 47, longitude: 15, altitude: null, at: isoAfter(1) }]
  const item = historyItem(incident, trail, { lastPosition: trail[0]! })
  const { creationTelemetry, positionTrail, ...rest } = item
  assert.deepEqual(rest, incidentView(incident, trail[0]!))
  assert.deepEqual(positionTrail, trail)
  const from = { side: 'person', channel: 'app', senderId: '', name: 'Mia', phone: null, readers: [] } as const
  const line = { ...from, n: 1, at: 1, key: 'key', text: 'leg broken', quickReply: null, toDesk: false }
  const lines = [line, { ...line, n: 2, toDesk: true }]
  const messages = (one: typeof incident) => historyItem(one, [], { lastPosition: null }, lines).messages
  assert.deepEqual(messages(incident), [talkLineView(line)])
  assert.equal(messages({ ...incident, silent: true }), undefined)
  const { warnings, ...accepted } = creationTelemetry
  assert.deepEqual(accepted, { timestamp: isoAfter(0), altitude: 12, receivedAt: isoAfter(0) })
  assert.deepEqual(
    (warnings || []).map(({ field }) => field),
    ['mobileBattery'],
  )
  const flawless = historyItem(pressed({}).incident, [], { lastPosition: null })
  assert.equal('warnings' in flawless.creationTelemetry, false)
})

test('events of a legacy application go out on both event topics', () => {
  const topicsOf = (legacy: boolean) => pressed({ legacy }).opening.events[0]?.topics
  assert.deepEqual(topicsOf(false), [`sos/events/${OWNER}`])
  assert.deepEqual(topicsOf(true), [`sos/events/${OWNER}`, 'sos/events/hut-1'])
})

test('no event or view ever contains a secret', () => {
  const sos = pressed({ contacts: ['Ana'], actuators: everyActuator })
  const token = sos.incident.contacts[0]!.token
  assert.ok(token.length >= 22)
  sos.runTo(200)
  const shown = JSON.stringify([...sos.cancels(201).events, historyItem(sos.incident, [], { lastPosition: null })])
  for (const secret of [token, 'link-secret', '+43', 'example']) assert.equal(shown.includes(secret), false, secret)
})
