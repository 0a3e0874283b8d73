import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { HOUR, MINUTE, SECOND } from '../../../src/lib/durations.ts'
import {
  alertAt,
  channelStatuses,
  everyActuator,
  failed,
  itemStatuses,
  momentAt,
  only,
  pressed,
  RELAY,
  receipt,
  type Story,
  sent,
} from '../build.ts'

const minutes = (n: number): number => (n * MINUTE) / SECOND
const hours = (n: number): number => (n * HOUR) / SECOND
const busy = failed('upstream HTTP 503', true)
const watched = { voice: false, rounds: 1, watchMinutes: 30, persistHours: 12 }
/** When the helper who answered at 20 s gets a check-in. */
const ASKED = 20 + minutes(30)

test('a relay that guesses the time of a press does not turn it into a repeat', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.presses(900, { reporterId: RELAY, alert: alertAt(1_000) })
  sos.runTo(990)
  const earlier = { incidentId: sos.incident.id, receivedAt: momentAt(900), fingerprint: 'x', isRelayed: true }
  assert.equal(sos.presses(1_000, {}, earlier).verdict, 'updated')
  // The owner's own alert is a repeat whoever sends it again.
  assert.equal(sos.presses(1_001, {}, { ...earlier, isRelayed: false }).verdict, 'repeated')
  assert.equal(sos.presses(1_002, { reporterId: RELAY }, earlier).verdict, 'repeated')
})

for (const [what, ends] of [
  ['the end', 'cancels'],
  ['the answer', 'acknowledges'],
] as const) {
  test(`a question in flight is not sent again after ${what}`, () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: watched })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    const row = only(sos.proceeds(ASKED).claimed)
    assert.equal(row.purpose, 'check_in')
    if (ends === 'cancels') sos.cancels(ASKED + 1)
    else sos.acknowledges(ASKED + 1, 'Ana')
    sos.records(ASKED + 2, row.id, busy)
    sos.runTo(ASKED + minutes(10))
    assert.deepEqual(sos.news, [])
  })
}

test('nor is the last call made again after an answer', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(hours(23) - 1)
  const row = only(sos.proceeds(hours(23)).claimed)
  assert.equal(row.purpose, 'last_call')
  sos.acknowledges(hours(23) + 1, 'Ana')
  sos.records(hours(23) + 2, row.id, busy)
  sos.runTo(hours(23) + 600)
  assert.deepEqual(sos.news, [])
})

test('if a helper falls silent and the only other contact was removed, someone is still notified immediately', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: watched })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.becomes({ contacts: ['Ana'], settings: watched })
  sos.told.length = 0
  sos.runTo(ASKED + minutes(5))
  assert.deepEqual(sos.told, [`${ASKED + minutes(5)} sms Ana`])
})

test('after a clock that was not believed the contacts are warned again before the end', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(hours(23) + 10)
  assert.equal(sos.news.length, 1)
  const ahead = hours(23) + 11 + hours(24 * 300)
  sos.does(ahead, { type: 'reckonAnew', from: momentAt(hours(23) + 11) })
  sos.runTo(ahead + hours(25))
  assert.equal(sos.news.length, 2)
})

test('a chat configured later gets the news, and stays out of the snapshot', () => {
  const settings = { ...watched, watchMinutes: 0 }
  const sos = pressed({ contacts: ['Ana'], settings })
  sos.runTo(10)
  sos.becomes({ contacts: ['Ana'], settings, actuators: everyActuator })
  sos.presses(400)
  sos.runTo(420)
  assert.ok(sos.news.includes('400 chat reopened'))
  assert.deepEqual(Object.keys(itemStatuses(sos.incident)), ['emergency_contacts'])
})

test('a text of an earlier round that is known to have failed shows as failed, not as sent', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 2 } })
  sos.runTo(70, (_row, seconds) => (seconds < 70 ? sent : failed('invalid number', false)))
  sos.hears(80, sos.rows('sms')[0]!.id, receipt('failed', 'provider error 30003'))
  assert.deepEqual(channelStatuses(sos.incident), { 'sms Ana': 'failed' })
})

test('an answer to a relayed alarm delays no press of the owner', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 1 } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.isRelayed(400)
  sos.runTo(401)
  sos.acknowledges(402, 'Ana')
  sos.told.length = 0
  sos.presses(403)
  sos.runTo(404)
  assert.deepEqual(sos.told, ['403 sms Ana'])
})

// rules.md#watched-answers.
suite('a contact who only ever says that they still help', () => {
  const answersThrice = (sos: Story): number => {
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    let at = 20
    for (let n = 0; n < 3; n++) {
      at += minutes(30)
      sos.runTo(at)
      sos.acknowledges(at + 1, 'Ana')
      at += 1
    }
    return at
  }

  test('prolongs twice; the third time the others are alarmed, who can end that and nobody else', () => {
    const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: watched })
    sos.told.length = 0
    const at = answersThrice(sos)
    sos.runTo(at)
    assert.deepEqual(sos.told, ['10 sms Ana', `${at} sms Ben`, `${at} sms Cleo`])
    assert.deepEqual(sos.incident.cascade.cause, { by: 'watch', again: null, alone: true })
    sos.acknowledges(at + 5, 'Ana')
    assert.equal(sos.incident.cascade.phase.name, 'ending')
    sos.runTo(at + minutes(20))
    assert.equal(sos.told.at(-1), `${at + 60 + minutes(16)} sms Cleo`, 'the rounds go on, to all three')
    sos.acknowledges(at + minutes(21), 'Ben')
    assert.equal(sos.incident.cascade.phase.name, 'answered')
    const { length } = sos.told
    sos.runTo(at + minutes(50))
    assert.equal(sos.told.length, length)
  })

  test('prolongs as often as they like once somebody else has answered', () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: watched })
    sos.runTo(10)
    sos.does(15, { type: 'acknowledge', contactId: null })
    sos.told.length = 0
    answersThrice(sos)
    assert.deepEqual([sos.told, sos.incident.cascade.phase.name], [[], 'answered'])
  })

  test('is heard again when the person presses again', () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], settings: watched })
    const at = answersThrice(sos)
    sos.runTo(at + 5)
    sos.presses(at + hours(2))
    sos.runTo(at + hours(2))
    sos.acknowledges(at + hours(2) + 5, 'Ana')
    assert.equal(sos.incident.cascade.phase.name, 'answered')
  })
})
