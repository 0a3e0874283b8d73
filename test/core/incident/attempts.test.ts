import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome, Receipt } from '../../../src/core/incident/command.ts'
import type { DeliveryStatus } from '../../../src/core/incident/delivery.ts'
import { incidentIdOf } from '../../../src/core/incident/escalation.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import {
  allGoesWell,
  delivered,
  everyActuator,
  failed,
  only,
  pressed,
  receipt,
  type Story,
  secondsOf,
  sent,
} from '../build.ts'

const busyNetwork = failed('rate limited (HTTP 429)', true)
const allOnce = { rounds: 1 }
const webhookOnly = { actuators: { webhook: { url: 'https://hook.example/' } } }
const chatOnly = { actuators: { chat: { url: 'https://chat.example/', format: 'text' as const } } }
const timesOf = (sos: Story, target: string): number[] =>
  sos.told.filter((line) => line.endsWith(target)).map((line) => Number(line.split(' ')[0]))

test('an SMS that fails with a retryable error is tried after 1, 5, 15, 60 s, then every 60 s, and stays scheduled', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  sos.runTo(300, (row) => (row.channel === 'sms' ? busyNetwork : sent))
  assert.deepEqual(timesOf(sos, 'sms Ana'), [10, 11, 16, 31, 91, 151, 211, 271])
  assert.equal(only(sos.rows('sms')).status, 'scheduled')
  assert.equal(only(sos.rows('sms')).attempt, 1)
  assert.deepEqual(timesOf(sos, 'voice Ana'), [70])
})

for (const ends of ['acknowledges', 'cancels', 'resolves'] as const) {
  test(`such an SMS is retried until someone ${ends}, not beyond`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: allOnce })
    const noNetwork = () => busyNetwork
    sos.runTo(5_000, (row) => (row.channel === 'sms' ? busyNetwork : failed('busy', false)))
    const before = sos.told.length
    ends === 'acknowledges' ? sos.acknowledges(5_000, 'Ana') : sos[ends](5_000)
    // rules.md#attempts: it ran and failed; only what never ran is `skipped`.
    assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).error], ['failed', 'rate limited (HTTP 429)'])
    sos.runTo(50_000, noNetwork)
    assert.equal(sos.told.length, before)
  })
}

test('such an SMS goes out as soon as the network is back', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...allOnce, voice: false } })
  sos.runTo(2_000, () => busyNetwork)
  sos.runTo(2_060)
  assert.equal(only(sos.rows('sms')).status, 'sent')
})

test("an SMS that fails for good moves that contact's call forward to now, and no one else's", () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: allOnce })
  sos.runTo(300, (row) =>
    row.channel === 'sms' && row.contactId === 'contact-Ana' ? failed('invalid number', false) : sent,
  )
  assert.deepEqual(sos.told, ['10 sms Ana', '10 voice Ana', '40 sms Ben', '100 voice Ben'])
  assert.deepEqual(
    [only(sos.rows('sms', 'Ana')).status, only(sos.rows('sms', 'Ana')).error],
    ['failed', 'invalid number'],
  )
})

test('an SMS that the network returns later moves the call forward, too', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  sos.runTo(20)
  sos.hears(25, only(sos.rows('sms')).id, receipt('failed', 'provider error 30003'))
  assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).error], ['failed', 'provider error 30003'])
  sos.runTo(300)
  assert.deepEqual(sos.told, ['10 sms Ana', '25 voice Ana'])
})

test('an SMS that one of several providers will never take is still retried, and the call does not wait for it', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  const mixed = { ...failed('connection refused', true), isFinalForOne: true } as const
  sos.runTo(300, (row) => (row.channel === 'sms' && row.tries < 2 ? mixed : sent))
  assert.deepEqual(sos.told, ['10 sms Ana', '10 voice Ana', '11 sms Ana', '16 sms Ana'])
  assert.equal(only(sos.rows('sms')).status, 'sent')
})

test('an SMS that fails for good after the call changes no call', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  sos.runTo(75)
  sos.hears(80, only(sos.rows('sms')).id, receipt('failed', 'provider error 30003'))
  sos.runTo(300)
  assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana'])
})

// rules.md#retries: a contact who is busy, does not answer or cannot be reached gets `voiceAttempts` calls,
// `voiceRetrySeconds` apart.
const callPlans: readonly [voiceAttempts: number, voiceRetrySeconds: number, calls: number[]][] = [
  [1, 60, [70]],
  [2, 60, [70, 130]],
  [3, 20, [70, 90, 110]],
]

for (const [voiceAttempts, voiceRetrySeconds, calls] of callPlans) {
  test(`${voiceAttempts} calls ${voiceRetrySeconds} s apart: at ${calls.join(', ')} s`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { ...allOnce, voiceAttempts, voiceRetrySeconds } })
    sos.runTo(1_000, (row) => (row.channel === 'voice' ? failed('busy', true) : sent))
    assert.deepEqual(timesOf(sos, 'voice Ana'), calls)
    assert.deepEqual(
      sos.rows('voice').map(({ attempt, status }) => [attempt, status]),
      calls.map((_, place) => [place + 1, 'failed']),
    )
  })
}

test('an unanswered call is recognised by its receipt and repeated; every round has its own calls', () => {
  const sos = pressed({ contacts: ['Ana'] })
  for (const [until, ends] of [
    [70, 90],
    [150, 170],
    [270, 310],
    [370, 390],
  ] as const) {
    sos.runTo(until)
    sos.hears(ends, sos.rows('voice').at(-1)?.id ?? '', receipt('failed', 'no answer'))
  }
  sos.runTo(5_000)
  assert.deepEqual(timesOf(sos, 'voice Ana'), [70, 150, 270, 370])
  assert.deepEqual(timesOf(sos, 'sms Ana'), [10, 210])
})

test('an answered call is not repeated', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  sos.runTo(70)
  sos.hears(75, only(sos.rows('voice')).id, receipt('delivered'))
  sos.runTo(1_000)
  assert.deepEqual(timesOf(sos, 'voice Ana'), [70])
})

test('chat and webhook are tried five times: a new attempt after 1, 5, 15 and 60 s', () => {
  const sos = pressed(webhookOnly)
  sos.runTo(10_000, () => failed('upstream HTTP 503', true))
  assert.deepEqual(timesOf(sos, 'webhook'), [10, 11, 16, 31, 91])
  assert.deepEqual(
    sos.rows('webhook').map(({ attempt, status, error }) => [attempt, status, error]),
    [1, 2, 3, 4, 5].map((attempt) => [attempt, 'failed', 'upstream HTTP 503']),
  )
})

test('if there are more tries than waits the last wait repeats; a single try has none', () => {
  const more = pressed({ ...chatOnly, settings: { httpAttempts: 4, httpBackoffSeconds: [2, 3] } })
  more.runTo(1_000, () => failed('connection reset', true))
  assert.deepEqual(timesOf(more, 'chat'), [10, 12, 15, 18])
  const once = pressed({ ...chatOnly, settings: { httpAttempts: 1 } })
  once.runTo(1_000, () => failed('connection reset', true))
  assert.deepEqual(timesOf(once, 'chat'), [10])
})

// rules.md#retries: waits ± 20 %.
for (const [jitter, wait] of [
  [0, 12],
  [0.25, 13.5],
  [0.5, 15],
  [1, 18],
] as const) {
  test(`jitter ${jitter} makes 15 s of backoff ${wait} s`, () => {
    const sos = pressed({ ...webhookOnly, settings: { httpBackoffSeconds: [15] } })
    sos.records(10, only(sos.proceeds(10).claimed).id, failed('connection refused', true), jitter)
    assert.equal(secondsOf(sos.rows('webhook')[1]?.dueAt ?? 0), 10 + wait)
  })
}

test('a permanent failure (HTTP 410) is not retried', () => {
  for (const given of [webhookOnly, chatOnly]) {
    const sos = pressed(given)
    sos.runTo(10_000, () => failed('upstream HTTP 410', false))
    assert.equal(sos.told.length, 1)
    assert.equal(sos.incident.deliveries.length, 1)
    assert.equal(sos.incident.deliveries[0]?.status, 'failed')
  }
})

test("a contact's own HTTP channel is retried like HTTP deliveries, and costs no SMS or call", () => {
  const sos = pressed({
    contacts: ['Ana'],
    actuators: { emergency_contacts: { httpUrl: 'https://g.example/' } },
    settings: allOnce,
  })
  sos.runTo(20, (row) => (row.channel === 'http' ? failed('connection refused', true) : sent))
  assert.deepEqual(timesOf(sos, 'http Ana'), [10, 11, 16])
  assert.deepEqual(timesOf(sos, 'sms Ana'), [10])
  sos.runTo(31)
  assert.equal(sos.rows('http').at(-1)?.status, 'delivered')
  sos.runTo(100)
  assert.deepEqual(timesOf(sos, 'voice Ana'), [70])
})

test('an attempt without a target is skipped, and nothing follows', () => {
  const sos = pressed({ contacts: ['Ana'], actuators: everyActuator, settings: allOnce })
  sos.runTo(1_000, (row) => (row.channel === 'chat' ? { kind: 'no_target' } : allGoesWell(row, 0)))
  assert.deepEqual(
    sos.rows('chat').map(({ status }) => status),
    ['skipped'],
  )
})

// rules.md#receipts: receipts may be lost, doubled or out of order: a status never goes back.
type Heard = readonly (Receipt['status'] | AttemptOutcome)[]
const heard: readonly [what: string, heard: Heard, status: DeliveryStatus][] = [
  ['in order', [sent, 'sent', 'delivered'], 'delivered'],
  ['doubled', [sent, 'sent', 'sent', 'delivered', 'delivered'], 'delivered'],
  ['a late sent', [sent, 'delivered', 'sent'], 'delivered'],
  ['a late failure', [sent, 'delivered', 'failed'], 'delivered'],
  ['a late success', [sent, 'failed', 'delivered'], 'failed'],
  ['faster than the outcome', ['delivered', sent], 'delivered'],
  ['a failure faster than the outcome', ['failed', sent], 'failed'],
  ['a failed outcome after a receipt', ['sent', failed('connection timeout', true)], 'sent'],
  ['a missing receipt', [sent], 'sent'],
]

for (const [what, parts, status] of heard) {
  test(`receipts ${what}: ${status}`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: allOnce })
    const row = only(sos.proceeds(10).claimed)
    parts.forEach((part, place) => {
      const before = sos.incident.snapshotVersion
      const shown = only(sos.rows('sms')).status
      typeof part === 'string'
        ? sos.hears(11 + place, row.id, receipt(part, part === 'failed' ? 'provider error 30003' : null))
        : sos.records(11 + place, row.id, part)
      const changed = only(sos.rows('sms')).status !== shown
      assert.equal(sos.incident.snapshotVersion, before + (changed ? 1 : 0))
    })
    assert.equal(only(sos.rows('sms')).status, status)
    assert.equal(only(sos.rows('sms')).claim, null)
  })
}

test("a receipt that overtakes the provider's answer leaves the provider's id to be added", () => {
  const sos = pressed({ contacts: ['Ana'] })
  const row = only(sos.proceeds(10).claimed)
  sos.hears(11, row.id, { ...receipt('delivered'), providerRef: null })
  sos.records(12, row.id, { kind: 'sent', provider: 'twilio', providerRef: 'SM42' })
  assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).providerRef], ['delivered', 'SM42'])
})

test('a receipt after closing is recorded', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  sos.cancels(12)
  const { events } = sos.hears(20, only(sos.rows('sms')).id, receipt('delivered'))
  assert.deepEqual(
    events.map(({ message }) => [message.type, message.status]),
    [['sos.actuator_update', 'cancelled']],
  )
  sos.runTo(3_000)
  assert.equal(sos.rows('voice')[0]?.status, 'skipped')
})

test('a call that fails after closing is not repeated', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(70)
  sos.cancels(75)
  sos.hears(80, only(sos.rows('voice')).id, receipt('failed', 'busy'))
  assert.equal(sos.rows('voice').length, 1)
})

test('news of an unknown attempt changes nothing', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const before = sos.incident
  assert.equal(sos.hears(11, 'nobody.1', receipt('delivered')).verdict, 'unchanged')
  assert.equal(sos.records(11, `${before.id}.99`, sent).verdict, 'unchanged')
  assert.deepEqual(sos.incident, before)
})

// rules.md#unknown-outcomes: unknown, not failed; looked up after the quiet time and repeated once.
test('an attempt without an outcome is looked up every 10 s, and never sent twice because of that', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const row = only(sos.proceeds(10).claimed)
  assert.equal(nextActionAt(sos.incident), sos.incident.openedAt + 20_000)
  assert.deepEqual(sos.proceeds(19.9).unsure, [])
  const asked = sos.proceeds(20)
  assert.deepEqual(
    asked.unsure.map(({ id }) => id),
    [row.id],
  )
  assert.deepEqual(asked.claimed, [])
  assert.deepEqual(sos.proceeds(25).unsure, [])
  assert.equal(sos.proceeds(30).unsure.length, 1)
  assert.equal(only(sos.rows('sms')).status, 'scheduled')
})

test('an attempt that this process is sending right now is not looked up', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const row = only(sos.proceeds(10).claimed)
  assert.deepEqual(sos.does(20, { type: 'proceed', inFlight: [row.id] }).unsure, [])
  assert.equal(sos.does(30, { type: 'proceed', inFlight: [] }).unsure.length, 1)
})

test('an attempt that the provider knows is adopted, not repeated', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...allOnce, voice: false } })
  const row = only(sos.proceeds(10).claimed)
  sos.records(10.1, row.id, { kind: 'unknown' })
  const { claimed } = sos.records(20.5, row.id, { kind: 'sent', provider: 'twilio', providerRef: 'SM7' })
  assert.deepEqual(claimed, [])
  assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).providerRef], ['sent', 'SM7'])
})

test('an attempt that the provider does not know is repeated twice, then it fails and the call is due immediately', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  const row = only(sos.proceeds(10).claimed)
  sos.records(15, row.id, { kind: 'unknown' })
  const again = sos.repeats(20, row.id, { kind: 'not_found' })
  sos.records(26, row.id, { kind: 'unknown' })
  assert.equal(again?.id, row.id)
  assert.equal(sos.repeats(31, row.id, { kind: 'not_found' })?.id, row.id)
  sos.records(37, row.id, { kind: 'unknown' })
  sos.records(42, row.id, { kind: 'not_found' })
  assert.equal(only(sos.rows('sms')).status, 'failed')
  sos.runTo(100)
  assert.deepEqual(sos.told, ['42 voice Ana'])
})

test('a try that a crash cut short, and that the provider has no record of, is made again, however often', () => {
  const sos = pressed({ contacts: ['Ana'], settings: allOnce })
  const row = only(sos.proceeds(10).claimed)
  for (const at of [20, 31, 42]) assert.equal(sos.repeats(at, row.id, { kind: 'not_found' })?.id, row.id)
  sos.records(43, row.id, { kind: 'unknown' })
  // From here on the provider may have taken it.
  assert.equal(sos.repeats(53, row.id, { kind: 'not_found' })?.id, row.id)
  for (const at of [54, 65]) {
    sos.records(at, row.id, { kind: 'unknown' })
    sos.records(at + 10, row.id, { kind: 'not_found' })
    sos.proceeds(at + 10)
  }
  assert.equal(only(sos.rows('sms')).status, 'failed')
})

test('a call that the provider does not know is made once more, then it fails', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...allOnce, voiceAttempts: 1 } })
  sos.runTo(69)
  const call = only(sos.proceeds(70).claimed)
  assert.equal(call.channel, 'voice')
  sos.records(75, call.id, { kind: 'unknown' })
  assert.equal(sos.repeats(80, call.id, { kind: 'not_found' })?.id, call.id)
  sos.records(86, call.id, { kind: 'unknown' })
  sos.records(91, call.id, { kind: 'not_found' })
  const { status, error } = only(sos.rows('voice'))
  assert.deepEqual([status, error], ['failed', 'connection timeout'])
})

test('an unknown chat post is repeated once and then retried as a new attempt', () => {
  const sos = pressed(chatOnly)
  const row = only(sos.proceeds(10).claimed)
  for (const at of [20, 30]) {
    sos.records(at - 1, row.id, { kind: 'unknown' })
    sos.repeats(at, row.id, { kind: 'not_found' })
  }
  assert.deepEqual(
    sos.rows('chat').map(({ attempt, status, error }) => [attempt, status, error]),
    [
      [1, 'failed', 'connection timeout'],
      [2, 'scheduled', null],
    ],
  )
})

test('a contact’s unknown attempt is not repeated after an answer or the end', () => {
  for (const ends of ['acknowledges', 'cancels', 'resolves'] as const) {
    const sos = pressed({ contacts: ['Ana'] })
    const row = only(sos.proceeds(10).claimed)
    ends === 'acknowledges' ? sos.acknowledges(15, 'Ana') : sos[ends](15)
    assert.equal(sos.repeats(20, row.id, { kind: 'not_found' }), undefined)
    assert.equal(only(sos.rows('sms')).status, 'skipped')
  }
})

test('every attempt id names its incident, and none is used twice', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
  sos.runTo(200, (row) => failed('busy', row.channel !== 'sms'))
  sos.cancels(210)
  const ids = sos.incident.deliveries.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.equal(incidentIdOf(id), sos.incident.id)
  assert.notEqual(incidentIdOf('nothing'), sos.incident.id)
})

// rules.md#all-clear: for every target with an attempt that is sent or delivered.
test('every notified contact hears immediately and once that it is over, and the snapshot does not show it', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], actuators: everyActuator })
  sos.runTo(69, (row, at) => (row.contactId === 'contact-Ben' ? failed('invalid number', false) : allGoesWell(row, at)))
  sos.told.length = 0
  sos.cancels(69)
  const shown = sos.incident.snapshotVersion
  sos.runTo(10_000)
  assert.deepEqual(sos.told.toSorted(), ['69 chat ok', '69 http Ana ok', '69 sms Ana ok', '69 webhook ok'])
  assert.equal(sos.incident.snapshotVersion, shown)
})

test('a contact who was only called gets a text, one who got both gets one too', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { contactIntervalSeconds: 0 } })
  sos.runTo(80, (row) =>
    row.channel === 'sms' && row.contactId === 'contact-Ana' ? failed('invalid number', false) : sent,
  )
  sos.told.length = 0
  sos.resolves(90)
  sos.runTo(10_000)
  assert.deepEqual(sos.told.toSorted(), ['90 sms Ana ok', '90 sms Ben ok'])
})

test('after several rounds the all-clear still comes once', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(300)
  sos.told.length = 0
  sos.cancels(300)
  sos.cancels(301)
  sos.resolves(302)
  sos.runTo(10_000)
  assert.deepEqual(sos.told, ['300 sms Ana ok'])
})

test('no all-clear goes to contacts who were not notified, if it is turned off, or on an acknowledgement', () => {
  const early = pressed({ contacts: ['Ana'], actuators: everyActuator })
  early.cancels(5)
  assert.deepEqual(early.allClears(), [])
  const off = pressed({ contacts: ['Ana'], settings: { allClear: false } })
  off.runTo(20)
  off.cancels(20)
  assert.deepEqual(off.allClears(), [])
  const answered = pressed({ contacts: ['Ana'] })
  answered.runTo(20)
  answered.acknowledges(20, 'Ana')
  assert.deepEqual(answered.allClears(), [])
  const failing = pressed(webhookOnly)
  failing.runTo(20, () => failed('upstream HTTP 500', true))
  failing.cancels(20)
  assert.deepEqual(failing.allClears(), [])
})

test('an incident that is closed as forgotten gets the all-clear, too', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 1 } })
  sos.runTo(3_599)
  sos.told.length = 0
  sos.runTo(3_700)
  assert.deepEqual(sos.told, ['3600 sms Ana ok'])
})

test('a message that turns out to have gone out only after closing is followed by the all-clear', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const row = only(sos.proceeds(10).claimed)
  sos.cancels(11)
  assert.deepEqual(sos.allClears(), [])
  sos.records(12, row.id, sent)
  sos.runTo(100)
  assert.deepEqual(sos.told, ['12 sms Ana ok'])
  sos.hears(110, row.id, receipt('delivered'))
  sos.runTo(1_000)
  assert.equal(sos.allClears().length, 1)
})

test('an all-clear that fails is retried, is not shown, and eventually gives up', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  sos.cancels(20)
  const { snapshotVersion } = sos.incident
  sos.told.length = 0
  sos.runTo(40, () => busyNetwork)
  assert.ok(sos.told.length > 1)
  sos.runTo(1_000_000, () => busyNetwork)
  assert.equal(nextActionAt(sos.incident), null)
  assert.equal(sos.incident.snapshotVersion, snapshotVersion)
  assert.equal(only(sos.allClears()).status, 'failed')
})

test('an HTTP delivery goes straight to delivered, without sent', () => {
  const sos = pressed({ ...webhookOnly })
  const seen: DeliveryStatus[] = []
  const row = only(sos.proceeds(10).claimed)
  seen.push(only(sos.rows('webhook')).status)
  sos.records(11, row.id, delivered)
  seen.push(only(sos.rows('webhook')).status)
  assert.deepEqual(seen, ['scheduled', 'delivered'])
})

// rules.md#settings
test('chat and webhook are each repeated by their own rules, and by those of the application where they have none', () => {
  const { chat } = chatOnly.actuators
  const { webhook } = webhookOnly.actuators
  const actuators = { chat: { ...chat, httpAttempts: 2, httpBackoffSeconds: [20] }, webhook }
  const sos = pressed({ actuators, settings: { httpAttempts: 3, httpBackoffSeconds: [5] } })
  sos.runTo(200, () => busyNetwork)
  assert.deepEqual(
    [timesOf(sos, 'chat'), timesOf(sos, 'webhook')],
    [
      [10, 30],
      [10, 15, 20],
    ],
  )
})
