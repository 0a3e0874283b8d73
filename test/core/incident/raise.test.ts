import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import type { EarlierAlert } from '../../../src/core/incident/incident.ts'
import type { Alert } from '../../../src/core/ingest/alert.ts'
import {
  alertAt,
  delivered,
  everyActuator,
  failed,
  momentAt,
  planOf,
  pressed,
  raiseAt,
  type Story,
  sent,
} from '../build.ts'

const HOUR_SECONDS = 3_600
const firstOf = (sos: Story, alert: Alert): EarlierAlert => ({
  incidentId: sos.incident.id,
  receivedAt: momentAt(0),
  fingerprint: alert.fingerprint,
})

test('the first alert opens an active incident', () => {
  const { opening, incident } = pressed({ contacts: ['Ana'] })
  assert.equal(opening.verdict, 'opened')
  assert.equal(incident.openedAt, momentAt(0))
  assert.deepEqual(incident.state, { status: 'active', acknowledgedAt: null, closedAt: null })
  assert.equal(incident.snapshotVersion, 1)
})

// rules.md#identity.
for (const status of ['active', 'acknowledged'] as const) {
  test(`while the incident is ${status} a repeat changes nothing, whatever else it says`, () => {
    const sos = pressed({ contacts: ['Ana'] })
    sos.runTo(10)
    if (status === 'acknowledged') sos.acknowledges(12, 'Ana')
    const before = sos.incident
    const repeated = sos.presses(3 * HOUR_SECONDS, {}, { ...firstOf(sos, alertAt(0)), fingerprint: 'another' })
    assert.equal(repeated.verdict, 'repeated')
    assert.deepEqual(repeated.incident, before)
    assert.deepEqual([repeated.events, repeated.claimed], [[], []])
  })
}

type Afterwards = 'repeated' | 'opened'
const battery50 = { mobileBattery: 50 }
const afterClosing: readonly [what: string, seconds: number, again: Record<string, unknown>, verdict: Afterwards][] = [
  ['the same fields and values immediately', 30, battery50, 'repeated'],
  ['the same fields and values within 24 h', 24 * HOUR_SECONDS - 1, battery50, 'repeated'],
  ['the same fields and values after 24 h', 24 * HOUR_SECONDS + 1, battery50, 'opened'],
  ['another value within 24 h', 30, { mobileBattery: 49 }, 'opened'],
  ['one field fewer within 24 h', 30, {}, 'opened'],
  ['one field more within 24 h', 30, { mobileBattery: 50, altitude: 3 }, 'opened'],
  ['another value after 24 h', 25 * HOUR_SECONDS, { mobileBattery: 49 }, 'opened'],
]

for (const [what, seconds, again, verdict] of afterClosing) {
  for (const loaded of ['no incident', 'the closed incident'] as const) {
    test(`after closing, ${what}: ${verdict} (${loaded} loaded)`, () => {
      const sos = pressed({ contacts: ['Ana'] })
      const first = alertAt(0, battery50)
      sos.cancels(5)
      const alert: Alert = { ...alertAt(0, again), receivedAt: momentAt(seconds) }
      const incident = loaded === 'no incident' ? null : sos.incident
      const decision = decide(
        { incident, plan: planOf({ contacts: ['Ana'] }), earlier: firstOf(sos, first) },
        raiseAt(seconds, alert),
      )
      assert.equal(decision.verdict, verdict)
      if (verdict === 'repeated') {
        assert.equal(decision.incident, null)
        assert.deepEqual(decision.events, [])
        return
      }
      assert.notEqual(decision.incident?.id, sos.incident.id)
      assert.deepEqual(
        decision.events.map(({ message }) => [message.type, message.status, message.snapshotVersion]),
        [['processed', 'active', 1]],
      )
    })
  }
}

test('an alert that cannot be compared is not a repeat of a closed one', () => {
  const sos = pressed({})
  sos.cancels(5)
  const decision = sos.presses(
    30,
    { alert: { ...alertAt(0), fingerprint: null } },
    { ...firstOf(sos, alertAt(0)), fingerprint: null },
  )
  assert.equal(decision.verdict, 'opened')
})

test('after an upgrade, an alert is a repeat in the way in which the version before compared it', () => {
  const sos = pressed({})
  sos.cancels(5)
  const sent = alertAt(0, { heartRate: 180 })
  for (const [fingerprint, verdict] of [
    [sent.formerFingerprint!, 'repeated'],
    [alertAt(0, { heartRate: 181 }).formerFingerprint!, 'opened'],
  ] as const) {
    const earlier = { ...firstOf(sos, sent), fingerprint }
    const decision = decide({ incident: sos.incident, plan: planOf({}), earlier }, raiseAt(30, sent))
    assert.equal(decision.verdict, verdict)
  }
})

test('a repeat of an old, closed alert does not affect the open incident', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const first = firstOf(sos, alertAt(0))
  sos.cancels(5)
  sos.presses(60)
  const open = sos.incident
  assert.equal(open.state.status, 'active')
  const again = sos.presses(400, { alert: alertAt(0) }, first)
  assert.equal(again.verdict, 'repeated')
  assert.deepEqual(sos.incident, open)
})

test('an alert is never refused for being old', () => {
  const text = new Date(momentAt(0) - 29 * 24 * 3_600_000).toISOString()
  const old = raiseAt(0, alertAt(0, { timestamp: text }))
  const { verdict, incident } = decide({ incident: null, plan: planOf({}), earlier: null }, old)
  assert.equal(verdict, 'opened')
  assert.equal(incident?.occurredAt.text, text)
})

test('an alert dated by a clock that ran ahead silences no repeat once the clock is right', () => {
  const sos = pressed()
  const { id } = sos.incident
  sos.cancels(20)
  const { fingerprint } = alertAt(100)
  const ahead = { incidentId: id, receivedAt: momentAt(200 * 24 * 3_600), fingerprint }
  assert.equal(sos.presses(100, {}, ahead).verdict, 'opened')
})

test('a further alert updates the open incident and delays nothing', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const { id, occurredAt, openedAt } = sos.incident
  const further = sos.presses(5)
  assert.equal(further.verdict, 'updated')
  assert.deepEqual(further.events, [])
  sos.runTo(100)
  assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana'])
  assert.deepEqual([sos.incident.id, sos.incident.occurredAt, sos.incident.openedAt], [id, occurredAt, openedAt])
})

test('a relay is recorded when it opens or feeds an incident; the owner is not a relay', () => {
  const opened = decide(
    { incident: null, plan: planOf({}), earlier: null },
    raiseAt(0, alertAt(0), { reporterId: 'gw' }),
  )
  assert.equal(opened.incident?.relayUserId, 'gw')
  assert.equal(pressed({}).incident.relayUserId, null)
  const sos = pressed({})
  sos.presses(20, { reporterId: 'gw' })
  assert.equal(sos.incident.relayUserId, 'gw')
})

// rules.md#re-alarm: an incident must not swallow the next SOS, and repeated presses must not silence.
const acknowledge = (sos: Story) => sos.acknowledges(15, 'Ana')
const realarms: readonly [
  what: string,
  before: (sos: Story) => void,
  lastAlert: number,
  again: number,
  realarmed: boolean,
][] = [
  ['active with a call pending', () => {}, 0, 300, false],
  ['acknowledged, 299.9 s after the answer', acknowledge, 0, 314.9, false],
  ['acknowledged, 300 s after the answer', acknowledge, 0, 315, true],
  ['acknowledged, 300 s after the answer but 15 s after a press that came too early', acknowledge, 300, 315, true],
  ['between two rounds, 299.9 s after the first one began', (sos) => sos.runTo(300), 0, 309.9, false],
  ['between two rounds, with nothing pending, 300 s after the first one began', (sos) => sos.runTo(300), 0, 310, true],
  ['exhausted', (sos) => sos.runTo(3_000), 0, 3_000, true],
]

for (const [what, before, lastAlert, again, realarmed] of realarms) {
  test(`a further alert, ${what}: ${realarmed ? 'alarms again' : 'no alarm'}`, () => {
    // Calls late enough to be pending in the first case; rounds long enough that the first one is still ending.
    const ackTimeoutSeconds = what.includes('call pending') ? 1_000 : what.includes('rounds') ? 400 : 200
    const settings = { ackTimeoutSeconds, rounds: 2, contactIntervalSeconds: 0, voice: what.includes('call pending') }
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings })
    sos.runTo(14)
    before(sos)
    if (lastAlert > 0) sos.presses(lastAlert)
    const { id, snapshotVersion } = sos.incident
    const toldBefore = sos.told.length
    const { events, verdict } = sos.presses(again)
    assert.equal(verdict, 'updated')
    assert.equal(sos.incident.id, id)
    assert.equal(events.filter(({ message }) => message.type === 'processed').length, 0)
    sos.runTo(again)
    const now = [`${again} sms Ana`, `${again} sms Ben`]
    assert.deepEqual(sos.told.slice(toldBefore), realarmed ? now : [])
    assert.equal(sos.incident.snapshotVersion > snapshotVersion, realarmed)
  })
}

test('a re-alarm notifies the current contacts, chat and webhook again, without another grace window', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator, settings: { contactIntervalSeconds: 0 } })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.becomes({ contacts: ['Cleo', 'Ana'], actuators: everyActuator, settings: { contactIntervalSeconds: 0 } })
  sos.told.length = 0
  sos.presses(400)
  sos.runTo(400)
  assert.deepEqual(sos.told.toSorted(), ['400 http Ana', '400 http Cleo', '400 sms Ana', '400 sms Cleo'])
  assert.deepEqual(sos.news, [
    '15 chat acknowledged',
    '15 webhook acknowledged',
    '400 chat reopened',
    '400 webhook reopened',
  ])
  // rules.md#webhooks: the additional posts are not part of the snapshot.
  assert.deepEqual(
    sos.rows('chat').map(({ attempt, status }) => [attempt, status]),
    [[1, 'delivered']],
  )
})

test('a re-alarm of an acknowledged incident leaves it acknowledged, and an answer ends the alarm again', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.told.length = 0
  sos.presses(400)
  sos.runTo(405)
  assert.equal(sos.incident.state.status, 'acknowledged')
  assert.equal(sos.incident.state.acknowledgedAt, momentAt(15))
  const { events } = sos.acknowledges(410, 'Ana')
  assert.deepEqual(
    events.map(({ message }) => message.type),
    ['sos.actuator_update'],
  )
  sos.runTo(3_000)
  // rules.md#re-alarm: all contacts together.
  assert.deepEqual(sos.told, ['400 sms Ana', '400 sms Ben'])
})

test('a re-alarm of an acknowledged incident alarms again 600 s later, even while it is still running', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ackTimeoutSeconds: 1_000 } })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.presses(400)
  sos.runTo(650)
  sos.told.length = 0
  sos.presses(700)
  sos.runTo(999)
  assert.deepEqual(sos.told, [])
  sos.runTo(1_000)
  assert.deepEqual(sos.told, ['1000 sms Ana'])
})

test('a re-alarm that nobody answers restarts the count of rounds, and only the contacts of that time are notified', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.becomes({ contacts: ['Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
  sos.told.length = 0
  sos.presses(400)
  sos.runTo(3_000)
  assert.deepEqual(sos.told, ['400 sms Ben', '460 sms Ben'])
})

test('a contact removed before a re-alarm keeps the link, but that answer ends the alarm for nobody else', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  const token = sos.incident.contacts[0]!.token
  sos.runTo(10)
  sos.acknowledges(15, 'Ben')
  sos.becomes({ contacts: ['Ben'] })
  sos.presses(400)
  assert.equal(sos.incident.contacts.find(({ name }) => name === 'Ana')?.token, token)
  sos.acknowledges(410, 'Ana')
  assert.equal(sos.incident.contacts.find(({ name }) => name === 'Ana')?.acknowledgedAt, momentAt(410))
  sos.told.length = 0
  sos.runTo(3_000)
  assert.deepEqual(sos.told, ['400 sms Ben', '460 voice Ben', '520 sms Ben', '580 voice Ben'])
})

test('tokens: one per contact and incident, at least 128 bits, the same after a re-alarm', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  const [ana, ben] = sos.incident.contacts.map(({ token }) => token)
  assert.notEqual(ana, ben)
  assert.ok(Buffer.from(ana!, 'base64url').length * 8 >= 128)
  const other = decide(
    { incident: null, plan: planOf({ contacts: ['Ana'] }), earlier: null },
    raiseAt(0, alertAt(0), { linkSecret: 'another secret' }),
  )
  assert.notEqual(other.incident?.contacts[0]?.token, ana)
  sos.acknowledges(15, 'Ana')
  sos.presses(400)
  assert.deepEqual(
    sos.incident.contacts.map(({ token }) => token),
    [ana, ben],
  )
})

test('an SMS that is still being retried gets no second one beside it in the next round', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 2 } })
  sos.runTo(2_000, () => failed('rate limited (HTTP 429)', true))
  assert.equal(sos.rows('sms').length, 1)
  sos.runTo(2_100, () => sent)
  assert.deepEqual(
    sos.rows('sms').map(({ status }) => status),
    ['sent'],
  )
})

test('a contact whose SMS got through late still gets the SMS of the round after', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 3 } })
  sos.runTo(90, () => failed('rate limited (HTTP 429)', true))
  sos.runTo(3_000)
  assert.deepEqual(
    sos.told.filter((line) => Number(line.split(' ')[0]) > 90),
    ['91 sms Ana', '151 sms Ana'],
  )
})

test('a further alert while the webhook is being retried does not cost the retries', () => {
  const sos = pressed({ contacts: ['Ana'], actuators: everyActuator, settings: { httpBackoffSeconds: [1_000] } })
  sos.runTo(10, (row) =>
    row.channel === 'webhook' ? failed('upstream HTTP 503', true) : row.channel === 'chat' ? delivered : sent,
  )
  sos.acknowledges(15, 'Ana')
  sos.presses(400)
  sos.runTo(3_000)
  assert.equal(sos.rows('webhook').at(-1)?.status, 'delivered')
})
