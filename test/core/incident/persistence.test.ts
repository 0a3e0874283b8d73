import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import { HOUR, SECOND } from '../../../src/lib/durations.ts'
import { effort } from '../../harness/effort.ts'
import { processorMs } from '../../harness/processor-time.ts'
import { contactCalled, everyActuator, failed, momentAt, pressed, secondsOf, sent } from '../build.ts'

const { persistHours, watchMinutes } = defaultSettings
const HOURS = HOUR / SECOND
const MINUTES = 60

const textsAt = (told: readonly string[], name: string) =>
  told.filter((line) => line.endsWith(`sms ${name}`)).map((line) => Number(line.split(' ')[0]))

test('while nobody answers, further rounds follow 15, 30 and 60 min after the previous one ended, then hourly, for 12 h', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, persistHours } })
  sos.runTo(23 * HOURS - 1)
  const at = textsAt(sos.told, 'Ana')
  // Rounds of 60 s: the two of the settings begin at 10 and 70.
  const ends = at.map((second) => second + 60)
  assert.deepEqual(at.slice(0, 2), [10, 70])
  assert.deepEqual(
    at.slice(2, 7).map((second, place) => second - ends[place + 1]!),
    [15, 30, 60, 60, 60].map((minutes) => minutes * MINUTES),
  )
  assert.ok(at.at(-1)! <= 12 * HOURS && at.at(-1)! > 11 * HOURS, `the last round at ${at.at(-1)}`)
  assert.equal(sos.incident.cascade.phase.name, 'exhausted')
})

test('chat and webhook hear when the rounds are over and when nothing more follows, and a press starts again', () => {
  const sos = pressed({ contacts: ['Ana'], actuators: everyActuator, settings: { voice: false, persistHours: 1 } })
  sos.runTo(3 * HOURS)
  assert.equal(sos.news.filter((line) => line.endsWith('chat unanswered')).length, 2)
  sos.told.length = 0
  sos.presses(4 * HOURS)
  sos.runTo(4 * HOURS + 60)
  assert.deepEqual(textsAt(sos.told, 'Ana'), [4 * HOURS, 4 * HOURS + 60])
})

test('persistHours 0 ends after the rounds', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(20 * HOURS)
  assert.deepEqual(textsAt(sos.told, 'Ana'), [10, 70])
})

test('30 min after an answer the helper gets a check-in, and 5 min later the others are alarmed together', () => {
  const sos = pressed({
    contacts: ['Ana', 'Ben', 'Cleo'],
    actuators: everyActuator,
    settings: { voice: false, watchMinutes },
  })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.told.length = 0
  sos.runTo(20 + 35 * MINUTES)
  assert.ok(sos.news.includes(`${20 + 30 * MINUTES} sms Ana check_in`))
  const silent = 20 + 35 * MINUTES
  assert.deepEqual(
    sos.told.filter((line) => line.includes('sms')),
    [`${silent} sms Ben`, `${silent} sms Cleo`],
  )
  assert.equal(sos.incident.state.status, 'acknowledged')
  assert.ok(sos.news.includes(`${silent} chat reopened`))
})

test('a helper who answers the check-in in time spares the others, and gets another check-in later', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.told.length = 0
  const asked = 20 + 30 * MINUTES
  sos.runTo(asked)
  sos.acknowledges(asked + 60, 'Ana')
  sos.runTo(asked + 60 + 30 * MINUTES)
  assert.deepEqual(sos.told, [])
  assert.deepEqual(sos.news, [`${asked} sms Ana check_in`, `${asked + 60 + 30 * MINUTES} sms Ana check_in`])
})

test('an only contact who falls silent is alarmed again, with calls', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { watchMinutes } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.told.length = 0
  const silent = 20 + 35 * MINUTES
  sos.runTo(silent + 60)
  assert.deepEqual(sos.told, [`${silent} sms Ana`, `${silent + 60} voice Ana`])
})

test('the operator answers like a contact and is watched like one; watchMinutes 0 turns the watch off', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, watchMinutes } })
  const { events } = sos.does(5, { type: 'acknowledge', contactId: null, name: 'night shift' })
  assert.deepEqual(
    events.map(({ message }) => message.type),
    ['acknowledged', 'sos.actuator_update'],
  )
  assert.deepEqual(sos.incident.lastAnswer, { at: momentAt(5), contactId: null, name: 'night shift' })
  sos.runTo(5 + 35 * MINUTES)
  assert.deepEqual(textsAt(sos.told, 'Ana'), [5 + 35 * MINUTES])

  const unwatched = pressed({ contacts: ['Ana'], settings: { voice: false, watchMinutes: 0 } })
  unwatched.acknowledges(5, 'Ana')
  unwatched.runTo(23 * HOURS)
  assert.deepEqual([unwatched.told, unwatched.news], [[], []])
})

test('an hour before the end all contacts are warned, then the system closes it and says that nobody answered', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
  sos.runTo(23 * HOURS)
  assert.deepEqual(sos.news, [`${23 * HOURS} sms Ana last_call`, `${23 * HOURS} sms Ben last_call`])
  sos.told.length = 0
  sos.runTo(24 * HOURS)
  assert.equal(sos.incident.state.status, 'resolved')
  assert.deepEqual(sos.incident.closing, { by: 'system', name: null, hours: 24 })
  assert.deepEqual(sos.told, [`${24 * HOURS} sms Ana ok`, `${24 * HOURS} sms Ben ok`])
})

test('until someone answers a position is a sign of life, and no incident lasts beyond 7 days after the last alert', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.isSeen(20 * HOURS)
  sos.runTo(24 * HOURS)
  assert.equal(secondsOf(sos.incident.autoResolveAt), 44 * HOURS)
  for (let hour = 30; hour < 200; hour += 2) {
    sos.isSeen(hour * HOURS)
    sos.runTo(hour * HOURS)
  }
  assert.equal(sos.incident.state.closedAt, momentAt(7 * 24 * HOURS))
})

test('an acknowledged incident ends its hours after the first answer, regardless of telemetry', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
  sos.acknowledges(2 * HOURS, 'Ana')
  sos.acknowledges(10 * HOURS, 'Ben')
  sos.isSeen(25 * HOURS)
  sos.runTo(26 * HOURS)
  assert.equal(sos.incident.state.closedAt, momentAt(26 * HOURS))
})

test('a corrected number applies to every attempt that has not begun; a look-up asks about the number that was used', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  const [claimed] = sos.proceeds(10).claimed
  const corrected = { ...contactCalled('Ana', 0), phone: '+4369911111', name: 'Anna', language: 'de' }
  const { verdict, events } = sos.does(12, { type: 'updateContact', contact: corrected })
  assert.equal(verdict, 'changed')
  assert.deepEqual(
    events.map(({ message }) => message.type),
    ['sos.actuator_update'],
  )
  const [ana] = sos.incident.contacts
  assert.deepEqual([ana!.name, ana!.phone, ana!.language], ['Anna', '+4369911111', 'de'])
  assert.equal(claimed!.to, contactCalled('Ana', 0).phone)
  sos.records(13, claimed!.id, sent)
  const call = sos
    .proceeds(70)
    .claimed.find(({ channel, contactId }) => channel === 'voice' && contactId === ana!.contactId)
  assert.equal(call!.to, '+4369911111')
  assert.equal(sos.does(71, { type: 'updateContact', contact: corrected }).verdict, 'unchanged')
})

test('a late all-clear of an incident that was cancelled while held leaves when it is resumed', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  sos.restores({ ...sos.incident, held: true })
  sos.cancels(20)
  sos.told.length = 0
  sos.does(5 * HOURS, { type: 'resume' })
  sos.runTo(5 * HOURS + 1)
  assert.equal(sos.allClears().filter(({ status }) => status === 'sent').length, 1)
})

const REALARMS = effort(60, 1_000)
/** After as many, the record grows by the digits of its counters alone: by some hundred characters. */
const FULL_AFTER = 30
const MAX_GROWTH = effort(200, 600)
const CANCEL_MS = 50

test(`a record stays below 64 KiB and a cancel below ${CANCEL_MS} ms after ${REALARMS} re-alarms of ten contacts`, async () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J']
  const settings = {
    realarmSeconds: 1,
    contactIntervalSeconds: 0,
    ackTimeoutSeconds: 1,
    voice: false,
    rounds: 1,
    persistHours,
  }
  const sos = pressed({ contacts: names, actuators: everyActuator, settings })
  let largest = 0
  let full = 0
  let at = 10
  for (let press = 0; press < REALARMS; press += 1) {
    sos.runTo(at, (row) =>
      row.channel === 'sms'
        ? { kind: 'sent', provider: 'twilio', providerRef: `SM${row.id}`, askAfterMs: 60_000 }
        : failed('upstream HTTP 500', false),
    )
    at += 2
    for (const { message } of sos.presses(at).events) largest = Math.max(largest, JSON.stringify(message).length)
    const record = JSON.stringify(sos.incident).length
    largest = Math.max(largest, record)
    if (press < FULL_AFTER) full = Math.max(full, record)
    assert.ok(record < full + MAX_GROWTH, `${record} bytes after ${press} re-alarms, ${full} after ${FULL_AFTER}`)
  }
  assert.ok(largest < 64 * 1024, `${largest} bytes`)
  assert.ok(sos.incident.cascade.round > 0.9 * REALARMS)
  // Every single attempt is still available.
  assert.ok(sos.timeline.size > 9 * REALARMS)

  const open = sos.incident
  const tookMs = await processorMs(CANCEL_MS, () => {
    sos.restores(open)
    sos.cancels(at + 1)
  })
  assert.ok(tookMs < CANCEL_MS, `${tookMs} ms`)
  assert.equal(sos.incident.state.status, 'cancelled')
  assert.equal(sos.allClears().filter(({ channel }) => channel === 'sms').length, names.length)
})

test('a receipt finds a folded attempt, and its contact gets the all-clear', () => {
  const sos = pressed({
    contacts: ['Ana'],
    settings: { realarmSeconds: 1, ackTimeoutSeconds: 1, voice: false, rounds: 1 },
  })
  sos.runTo(10)
  const first = sos.rows('sms')[0]!
  sos.presses(30)
  sos.runTo(60)
  assert.ok(sos.timeline.has(first.id))
  sos.hears(61, first.id, { status: 'delivered', provider: 'twilio', providerRef: 'SM1', error: null })
  assert.equal(sos.timeline.get(first.id)?.status, 'delivered')
  assert.equal(sos.incident.folded.reduce((sum, { count }) => sum + count, 0) + sos.incident.deliveries.length, 2)
})
