import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../src/core/account/settings.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import {
  channelStatuses,
  everyActuator,
  failed,
  type Given,
  only,
  pressed,
  receipt,
  secondsOf,
  sent,
} from '../build.ts'

// rules.md#escalation: everything sent in the first two hours if nobody answers.
const schedules: readonly [what: string, given: Given, told: string[]][] = [
  ['the defaults, one contact', { contacts: ['Ana'] }, ['10 sms Ana', '70 voice Ana', '130 sms Ana', '190 voice Ana']],
  [
    'the defaults, two contacts',
    { contacts: ['Ana', 'Ben'] },
    [
      '10 sms Ana',
      '40 sms Ben',
      '70 voice Ana',
      '100 voice Ben',
      '160 sms Ana',
      '190 sms Ben',
      '220 voice Ana',
      '250 voice Ben',
    ],
  ],
  [
    'all contacts together, one round',
    { contacts: ['Ana', 'Ben', 'Cleo'], settings: { contactIntervalSeconds: 0, rounds: 1, voice: false } },
    ['10 sms Ana', '10 sms Ben', '10 sms Cleo'],
  ],
  [
    'no grace, one round',
    { contacts: ['Ana'], settings: { graceSeconds: 0, rounds: 1 } },
    ['0 sms Ana', '60 voice Ana'],
  ],
  ['calls turned off', { contacts: ['Ana'], settings: { voice: false } }, ['10 sms Ana', '70 sms Ana']],
  [
    'fractions of a second',
    {
      contacts: ['Ana', 'Ben'],
      settings: { graceSeconds: 0.25, contactIntervalSeconds: 0.5, ackTimeoutSeconds: 1.5, rounds: 1 },
    },
    ['0.25 sms Ana', '0.75 sms Ben', '1.75 voice Ana', '2.25 voice Ben'],
  ],
  [
    'three rounds',
    { contacts: ['Ana'], settings: { voice: false, rounds: 3 } },
    ['10 sms Ana', '70 sms Ana', '130 sms Ana'],
  ],
  [
    'every actuator, one round',
    { contacts: ['Ana'], actuators: everyActuator, settings: { rounds: 1 } },
    ['10 sms Ana', '10 http Ana', '10 chat', '10 webhook', '70 voice Ana'],
  ],
  [
    'chat and webhook in the first round only',
    { contacts: ['Ana'], actuators: { ...everyActuator, emergency_contacts: {} }, settings: { voice: false } },
    ['10 sms Ana', '10 chat', '10 webhook', '70 sms Ana'],
  ],
  ['no contacts', {}, []],
  [
    'no contacts but chat',
    { actuators: { emergency_contacts: {}, chat: { url: 'https://c.example/', format: 'text' } } },
    ['10 chat'],
  ],
  ['contacts but no contacts actuator', { contacts: ['Ana'], actuators: {} }, []],
]

for (const [what, given, told] of schedules) {
  test(`the cascade with ${what}: ${told.join(', ') || 'nothing'}`, () => {
    const sos = pressed(given)
    sos.runTo(7_200)
    assert.deepEqual(sos.told, told)
    assert.equal(sos.incident.state.status, 'active')
  })
}

test('the end of an unanswered last round is announced once, and nothing more is sent', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(249.9)
  const over = sos.proceeds(250)
  assert.equal(over.exhausted, true)
  assert.deepEqual(over.events, [])
  assert.equal(sos.proceeds(251).exhausted, false)
  // The last call, an hour before the end.
  assert.equal(secondsOf(nextActionAt(sos.incident) ?? 0), 23 * 3_600)
})

test('after an answer, a cancel or a resolution in time, no round counts as unanswered', () => {
  for (const ends of ['acknowledges', 'cancels', 'resolves'] as const) {
    const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, allClear: false } })
    sos.runTo(100)
    ends === 'acknowledges' ? sos.acknowledges(110, 'Ana') : sos[ends](110)
    for (const later of [130, 250, 400]) assert.equal(sos.proceeds(later).exhausted, false)
    assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana'])
  }
})

test('a round ends one acknowledgement time-out after its last attempt, and a repeated call belongs to it', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(70)
  sos.hears(90, only(sos.rows('voice')).id, receipt('failed', 'no answer'))
  sos.runTo(1_000)
  assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana', '150 voice Ana', '210 sms Ana', '270 voice Ana'])
})

test('a receipt does not delay the next round', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(70)
  sos.hears(125, only(sos.rows('voice')).id, receipt('delivered'))
  sos.runTo(131)
  assert.deepEqual(sos.told.at(-1), '130 sms Ana')
})

test('the whole cascade continues after the dispatcher was away, and each message goes out once', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  const { claimed } = sos.proceeds(3_600)
  assert.deepEqual(claimed.map(({ channel, contactId }) => `${channel} ${contactId}`).sort(), [
    'sms contact-Ana',
    'sms contact-Ben',
    'voice contact-Ana',
    'voice contact-Ben',
  ])
  assert.deepEqual(sos.proceeds(3_601).claimed, [])
})

// rules.md#corrections: a contact added while the incident is active joins last, due now if the cascade has passed.
const additions: readonly [what: string, at: number, told: string[]][] = [
  ['before the grace window ends', 5, ['10 sms Ana', '40 sms Ben', '70 voice Ana', '100 voice Ben']],
  ['before its place', 25, ['10 sms Ana', '40 sms Ben', '70 voice Ana', '100 voice Ben']],
  ['at its place', 40, ['10 sms Ana', '40 sms Ben', '70 voice Ana', '100 voice Ben']],
  ['after its place', 55, ['10 sms Ana', '55 sms Ben', '70 voice Ana', '115 voice Ben']],
  ['after the last attempt', 100, ['10 sms Ana', '70 voice Ana', '100 sms Ben', '160 voice Ben']],
  ['after the last round', 900, ['10 sms Ana', '70 voice Ana', '900 sms Ben', '960 voice Ben']],
]

for (const [what, at, told] of additions) {
  test(`a contact added ${what} joins at the end`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1 } })
    sos.runTo(at - 0.001)
    const version = sos.incident.snapshotVersion
    const { events } = sos.adds(at, 'Ben')
    assert.deepEqual(
      events.map(({ message }) => [message.type, message.snapshotVersion]),
      [['sos.actuator_update', version + 1]],
    )
    sos.runTo(7_200)
    assert.deepEqual(sos.told, told)
    assert.deepEqual(
      sos.incident.contacts.map(({ name, priority }) => [name, priority]),
      [
        ['Ana', 1],
        ['Ben', 2],
      ],
    )
  })
}

test('an added contact takes part in the next round', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(20)
  sos.adds(25, 'Ben')
  sos.runTo(7_200)
  assert.deepEqual(sos.told, ['10 sms Ana', '40 sms Ben', '100 sms Ana', '130 sms Ben'])
})

test('a contact added to an incident without contacts is notified, even after the grace window', () => {
  for (const at of [5, 20, 500]) {
    const sos = pressed({ settings: { rounds: 1 } })
    sos.runTo(at)
    sos.adds(at, 'Ana')
    sos.runTo(7_200)
    const first = Math.max(10, at)
    assert.deepEqual(sos.told, [`${first} sms Ana`, `${first + 60} voice Ana`])
  }
})

test('no contact joins if it is already known, if the incident is acknowledged or closed, or if contacts are not notified at all', () => {
  const known = pressed({ contacts: ['Ana'] })
  assert.equal(known.adds(5, 'Ana').verdict, 'unchanged')
  const answered = pressed({ contacts: ['Ana'] })
  answered.acknowledges(5, 'Ana')
  answered.adds(6, 'Ben')
  assert.deepEqual(
    answered.incident.contacts.map(({ name }) => name),
    ['Ana'],
  )
  const closed = pressed({ contacts: ['Ana'] })
  closed.cancels(5)
  assert.equal(closed.adds(6, 'Ben').verdict, 'unchanged')
  const unconfigured = pressed({ actuators: {} })
  unconfigured.adds(6, 'Ben')
  assert.deepEqual(unconfigured.incident.contacts, [])
})

test('later changes of the settings do not affect an open incident', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.becomes({ contacts: ['Ana'], settings: { voice: false, graceSeconds: 0 } })
  sos.presses(5)
  sos.runTo(70)
  assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana'])
})

const quick: Partial<Settings> = { graceSeconds: 0, contactIntervalSeconds: 0 }

test('nothing is sent for a held incident until it is resumed', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...quick, rounds: 1, voice: false } })
  const held = { ...sos.incident, held: true }
  assert.equal(nextActionAt(held), null)
  const story = pressed({ contacts: ['Ana'], settings: { ...quick, rounds: 1, voice: false } })
  story.restores(held)
  assert.deepEqual(story.proceeds(100).claimed, [])
  assert.equal(story.incident.state.status, 'active')
  story.does(200, { type: 'resume' })
  assert.equal(story.incident.held, false)
  story.runTo(300)
  assert.deepEqual(story.told, ['0 sms Ana'])
})

test('a press resumes a held incident: the emergency in the file may be over, this one is not', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, voice: false } })
  sos.does(5, { type: 'restore' })
  sos.runTo(400)
  assert.deepEqual(sos.told, [])
  sos.presses(410)
  assert.equal(sos.incident.held, false)
  assert.deepEqual(
    sos.proceeds(410).claimed.map(({ channel, contactId }) => [channel, contactId]),
    [['sms', 'contact-Ana']],
  )
})

test('a held incident can be acknowledged, cancelled and resolved', () => {
  for (const ends of ['cancels', 'resolves'] as const) {
    const sos = pressed({ contacts: ['Ana'] })
    sos.restores({ ...sos.incident, held: true })
    sos[ends](20)
    assert.notEqual(sos.incident.state.closedAt, null)
  }
  const sos = pressed({ contacts: ['Ana'] })
  sos.restores({ ...sos.incident, held: true })
  sos.acknowledges(20, 'Ana')
  assert.equal(sos.incident.state.status, 'acknowledged')
})

// keeping.md#clock: a jump of the clock neither fires a deadline early nor delays one.
for (const byHours of [-2, 2]) {
  const by = byHours * 3_600
  const later = (told: string[], from: number): string[] =>
    told.map((line, place) => (place < from ? line : line.replace(/^\S+/, (seconds) => String(Number(seconds) + by))))

  test(`when the clock is set by ${byHours} h every deadline keeps its distance`, () => {
    const unmoved = pressed({ contacts: ['Ana', 'Ben'] })
    unmoved.runTo(7_200)
    for (const at of [5, 20, 50, 80, 110, 200]) {
      const sos = pressed({ contacts: ['Ana', 'Ben'] })
      sos.runTo(at)
      const before = sos.told.length
      sos.does(at + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
      sos.runTo(at + by + 7_200)
      assert.deepEqual(sos.told, later(unmoved.told, before), `set ${at} s after the press`)
    }
  })

  test(`when the clock is set by ${byHours} h an added contact is not notified later, nor a re-alarm missed`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, voice: false } })
    sos.runTo(20)
    sos.does(20 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
    sos.adds(30 + by, 'Ben')
    sos.runTo(45 + by)
    assert.equal(sos.told.at(-1), `${40 + by} sms Ben`)
    sos.acknowledges(50 + by, 'Ana')
    sos.presses(299 + by)
    sos.runTo(299 + by)
    assert.equal(sos.told.length, 2)
    sos.presses(600 + by)
    sos.runTo(600 + by)
    assert.equal(sos.told.length, 3)
  })

  test(`when the clock is set by ${byHours} h the automatic resolution keeps its distance`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 10 } })
    sos.runTo(3_600)
    sos.does(3_600 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
    sos.runTo(10 * 3_600 + by - 0.001)
    assert.equal(sos.incident.state.status, 'active')
    sos.runTo(10 * 3_600 + by)
    assert.equal(sos.incident.state.status, 'resolved')
  })

  test(`when the clock is set by ${byHours} h a silent helper is asked again, and the others alarmed, on time`, () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30 } })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    sos.does(60 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
    sos.told.length = 0
    sos.runTo(20 + by + 35 * 60)
    assert.deepEqual(sos.news, [`${20 + by + 30 * 60} sms Ana check_in`])
    assert.deepEqual(sos.told, [`${20 + by + 35 * 60} sms Ben`])
  })

  test(`setting the clock by ${byHours} h shows nothing and changes no fact`, () => {
    const sos = pressed({ contacts: ['Ana'] })
    sos.runTo(10)
    const { openedAt, occurredAt, snapshotVersion, updatedAt } = sos.incident
    const { events } = sos.does(20 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
    assert.deepEqual(events, [])
    assert.deepEqual(
      { openedAt, occurredAt, snapshotVersion, updatedAt },
      {
        openedAt: sos.incident.openedAt,
        occurredAt: sos.incident.occurredAt,
        snapshotVersion: sos.incident.snapshotVersion,
        updatedAt: sos.incident.updatedAt,
      },
    )
  })
}

test('a claim keeps its quiet time when the clock is set', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.proceeds(10)
  sos.does(3_612, { type: 'shiftDeadlines', byMs: 3_600_000 })
  assert.deepEqual(sos.proceeds(3_619.9).unsure, [])
  assert.equal(sos.proceeds(3_620).unsure.length, 1)
})

test('a contact whose SMS cannot be sent is called on time, and the next contact is notified on time', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { rounds: 1 } })
  sos.runTo(300, (row) =>
    row.channel === 'sms' && row.contactId === 'contact-Ana' ? failed('upstream HTTP 503', true) : sent,
  )
  const others = sos.told.filter((line) => !line.endsWith('sms Ana'))
  assert.deepEqual(others, ['40 sms Ben', '70 voice Ana', '100 voice Ben'])
  assert.equal(channelStatuses(sos.incident)['sms Ana'], 'scheduled')
})
