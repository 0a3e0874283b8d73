import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import type { IncidentStatus } from '../../../src/core/incident/incident.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import {
  channelStatuses,
  delivered,
  everyActuator,
  failed,
  isoAfter,
  itemStatuses,
  momentAt,
  only,
  pressed,
  type Story,
  sent,
} from '../build.ts'

type Trigger = 'acknowledge' | 'cancel' | 'resolve' | 'further alert'

const triggers: Readonly<Record<Trigger, (sos: Story) => ReturnType<Story['cancels']>>> = {
  acknowledge: (sos) => sos.acknowledges(30, 'Ben'),
  cancel: (sos) => sos.cancels(30),
  resolve: (sos) => sos.resolves(30),
  'further alert': (sos) => sos.presses(30),
}

/** An incident that reaches `status` 20 s after the press, with Ana's SMS sent. */
function inStatus(status: IncidentStatus): Story {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(10)
  switch (status) {
    case 'active':
      return sos
    case 'acknowledged':
      sos.acknowledges(20, 'Ana')
      return sos
    case 'cancelled':
      sos.cancels(20)
      return sos
    case 'resolved':
      sos.resolves(20)
      return sos
    default:
      return status satisfies never
  }
}

const update = 'sos.actuator_update'

// rules.md#states: acknowledged may become cancelled or resolved; a closed incident does not change.
const table: readonly [from: IncidentStatus, trigger: Trigger, to: IncidentStatus | 'a new one', events: string[]][] = [
  ['active', 'acknowledge', 'acknowledged', ['acknowledged', update]],
  ['active', 'cancel', 'cancelled', ['cancelled', update]],
  ['active', 'resolve', 'resolved', ['resolved', update]],
  ['active', 'further alert', 'active', []],
  ['acknowledged', 'acknowledge', 'acknowledged', [update]],
  ['acknowledged', 'cancel', 'cancelled', ['cancelled']],
  ['acknowledged', 'resolve', 'resolved', ['resolved']],
  ['acknowledged', 'further alert', 'acknowledged', []],
  ['cancelled', 'acknowledge', 'cancelled', []],
  ['cancelled', 'cancel', 'cancelled', []],
  ['cancelled', 'resolve', 'cancelled', []],
  ['cancelled', 'further alert', 'a new one', ['processed']],
  ['resolved', 'acknowledge', 'resolved', []],
  ['resolved', 'cancel', 'resolved', []],
  ['resolved', 'resolve', 'resolved', []],
  ['resolved', 'further alert', 'a new one', ['processed']],
]

for (const [from, trigger, to, events] of table) {
  test(`${from}, ${trigger}: ${to}, ${events.join(' and ') || 'no event'}`, () => {
    const sos = inStatus(from)
    const before = sos.incident
    const decision = triggers[trigger](sos)
    assert.deepEqual(
      decision.events.map(({ message }) => message.type),
      events,
    )
    if (to === 'a new one') {
      assert.notEqual(sos.incident.id, before.id)
      assert.equal(sos.incident.state.status, 'active')
      assert.equal(sos.incident.snapshotVersion, 1)
      assert.equal(decision.verdict, 'opened')
      return
    }
    assert.equal(sos.incident.id, before.id)
    assert.equal(sos.incident.state.status, to)
    if (before.state.closedAt !== null) {
      assert.deepEqual(sos.incident, before)
      assert.equal(decision.verdict, 'unchanged')
    }
  })
}

for (const type of ['cancel', 'resolve'] as const) {
  test(`${type} with nothing open changes nothing`, () => {
    const decision = decide({ incident: null, plan: null, earlier: null }, { type, now: momentAt(0) })
    assert.deepEqual(decision, {
      verdict: 'unchanged',
      incident: null,
      events: [],
      claimed: [],
      unsure: [],
      asked: [],
      exhausted: false,
      folded: [],
    })
  })
}

test('cancel within the grace window notifies nobody and skips everything', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
  sos.runTo(9.9)
  sos.cancels(9.95)
  sos.runTo(100_000)
  assert.deepEqual(sos.told, [])
  assert.deepEqual(itemStatuses(sos.incident), { emergency_contacts: 'skipped', chat: 'skipped', webhook: 'skipped' })
  assert.deepEqual(sos.events, ['processed', 'cancelled', update])
  assert.equal(sos.incident.snapshotVersion, 2)
})

for (const ending of ['cancels', 'resolves'] as const) {
  test(`attempts pending when the user ${ending} are skipped, sent ones stay`, () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { allClear: false } })
    sos.runTo(10)
    sos[ending](20)
    assert.deepEqual(channelStatuses(sos.incident), {
      'sms Ana': 'sent',
      'voice Ana': 'skipped',
      'sms Ben': 'skipped',
      'voice Ben': 'skipped',
    })
    sos.runTo(100_000)
    assert.deepEqual(sos.told, ['10 sms Ana'])
  })
}

test("acknowledging skips the contacts' pending attempts; chat and webhook still go out", () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
  sos.acknowledges(5, 'Ana')
  assert.deepEqual(itemStatuses(sos.incident), {
    emergency_contacts: 'skipped',
    chat: 'scheduled',
    webhook: 'scheduled',
  })
  sos.runTo(3_600)
  assert.deepEqual(sos.told, ['10 chat', '10 webhook'])
  assert.deepEqual(itemStatuses(sos.incident), {
    emergency_contacts: 'skipped',
    chat: 'delivered',
    webhook: 'delivered',
  })
})

test('chat and webhook are retried after an acknowledgement, too', () => {
  const sos = pressed({ contacts: ['Ana'], actuators: everyActuator })
  sos.runTo(10, (row) => (row.contactId === null ? failed('upstream HTTP 503', true) : sent))
  sos.acknowledges(10.5, 'Ana')
  sos.runTo(3_600)
  assert.deepEqual(itemStatuses(sos.incident), { emergency_contacts: 'sent', chat: 'delivered', webhook: 'delivered' })
})

test('the first contact acknowledges between SMS and call: nobody is called, nobody else is notified', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(20)
  sos.acknowledges(25, 'Ana')
  sos.runTo(3_600)
  assert.deepEqual(sos.told, ['10 sms Ana'])
  assert.equal(sos.incident.state.status, 'acknowledged')
})

test('a second contact’s acknowledgement is recorded, and the incident keeps the first time', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(50)
  sos.acknowledges(55, 'Ben')
  const version = sos.incident.snapshotVersion
  const { events } = sos.acknowledges(65, 'Ana')
  assert.deepEqual(
    events.map(({ message }) => [message.type, message.snapshotVersion]),
    [[update, version + 1]],
  )
  assert.equal(sos.incident.state.acknowledgedAt, momentAt(55))
  const contacts = snapshotOf(sos.incident).items[0]?.contacts
  assert.deepEqual(
    contacts?.map(({ name, acknowledgedAt }) => [name, acknowledgedAt]),
    [
      ['Ana', isoAfter(65)],
      ['Ben', isoAfter(55)],
    ],
  )
})

test('a second answer of the same contact, and one of a stranger, acknowledge nothing', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.acknowledges(12, 'Ana')
  const before = sos.incident
  assert.equal(sos.acknowledges(14, 'Ana').verdict, 'unchanged')
  assert.equal(sos.acknowledges(14, 'Zoe').verdict, 'unchanged')
  assert.deepEqual(sos.incident, before)
  const unanswered = pressed({ contacts: ['Ana'] })
  assert.equal(unanswered.acknowledges(14, 'Zoe').verdict, 'unchanged')
  assert.equal(unanswered.incident.state.status, 'active')
})

test('an attempt in flight when someone answers is still recorded, and not followed by another', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const sms = only(sos.proceeds(10).claimed)
  sos.acknowledges(10.1, 'Ana')
  assert.equal(only(sos.rows('sms')).status, 'scheduled')
  sos.records(10.2, sms.id, failed('rate limited (HTTP 429)', true))
  sos.runTo(3_600)
  assert.deepEqual(sos.told, [])

  const called = pressed({ contacts: ['Ana'] })
  called.runTo(69)
  const call = only(called.proceeds(70).claimed)
  called.acknowledges(71, 'Ana')
  called.records(72, call.id, failed('busy', true))
  assert.equal(called.rows('voice').length, 1)
})

test('an outcome after closing gets its own snapshot version', () => {
  const sos = pressed({ actuators: { webhook: { url: 'https://hook.example/' } } })
  const call = only(sos.proceeds(10).claimed)
  sos.cancels(11)
  const version = sos.incident.snapshotVersion
  const { events } = sos.records(12, call.id, delivered)
  assert.deepEqual(
    events.map(({ message }) => [message.type, message.status, message.snapshotVersion]),
    [[update, 'cancelled', version + 1]],
  )
})

test('the system resolves a forgotten incident 24 h after its last alert', () => {
  const day = 24 * 3600
  const sos = pressed({ contacts: ['Ana'] })
  sos.acknowledges(20, 'Ana')
  sos.presses(100)
  sos.runTo(day + 99)
  assert.equal(sos.incident.state.status, 'acknowledged')
  sos.runTo(day + 100)
  assert.deepEqual(sos.incident.state, {
    status: 'resolved',
    acknowledgedAt: momentAt(20),
    closedAt: momentAt(day + 100),
  })
  assert.equal(sos.events.at(-1), 'resolved')
})

test('a repeat of the same alert does not delay the resolution', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 1 } })
  sos.acknowledges(20, 'Ana')
  sos.presses(3_000, {}, { incidentId: sos.incident.id, receivedAt: momentAt(0), fingerprint: null })
  sos.runTo(3_619)
  assert.equal(sos.incident.state.status, 'acknowledged')
  sos.runTo(3_620)
  assert.equal(sos.incident.state.status, 'resolved')
})
