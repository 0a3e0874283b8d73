import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import type { PlannedContact } from '../../../src/core/incident/alarm-plan.ts'
import { alarmPlanOf, fallbackEntry } from '../../../src/core/incident/alarm-plan.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import { isNobodyLeft } from '../../../src/core/incident/nobody-left.ts'
import { positionAccess } from '../../../src/core/incident/position-access.ts'
import { contactCalled, everyActuator, momentAt, planOf, pressed, raiseAt, type Story, sent } from '../build.ts'

// sms.md#wrong-number.

const calm = { contacts: ['Ana', 'Ben', 'Cleo'], settings: { rounds: 2, persistHours: 12, voice: true } }
const stops = (sos: Story, seconds: number, name: string, how: 'stop' | 'stranger' = 'stop') =>
  sos.does(seconds, { type: 'stop', how, contactId: `contact-${name}` })
const starts = (sos: Story, seconds: number, name: string) =>
  sos.does(seconds, { type: 'start', contactId: `contact-${name}` })
const of = (sos: Story, name: string) => sos.told.filter((line) => line.includes(name))
const sees = (sos: Story, name: string) =>
  positionAccess(sos.incident, sos.incident.contacts.find((contact) => contact.name === name)!)

for (const how of ['stop', 'stranger'] as const) {
  test(`${how}: the next contact is alarmed at once, and this one gets nothing more but one closing text`, () => {
    const sos = pressed(calm)
    sos.runTo(10)
    stops(sos, 15, 'Ana', how)
    sos.runTo(16)
    assert.deepEqual(sos.told, ['10 sms Ana', '15 sms Ben'])
    sos.runTo(4_000)
    sos.becomes(calm)
    sos.presses(5_000)
    sos.does(5_001, { type: 'resend', contactId: 'contact-Ana' })
    sos.runTo(9_000)
    sos.does(9_100, { type: 'resolve', by: 'operator' })
    sos.runTo(9_200)
    assert.deepEqual(of(sos, 'Ana'), ['10 sms Ana', '9100 sms Ana ok'])
    assert.ok(of(sos, 'Ben').length > 3)
    assert.equal(sees(sos, 'Ana'), how === 'stop' ? 'shown' : 'withheld')
  })
}

test('a call in flight that fails is not made again', () => {
  const sos = pressed(calm)
  sos.runTo(69)
  for (const { id, channel, contactId } of sos.proceeds(70).claimed) {
    if (contactId === 'contact-Ana') stops(sos, 75, 'Ana')
    sos.records(80, id, channel === 'voice' ? { kind: 'failed', error: 'no-answer', retryable: true } : sent)
  }
  sos.runTo(4_000)
  assert.deepEqual(of(sos, 'Ana'), ['10 sms Ana'])
})

test('when everyone has stopped it, chat hears at once that nobody answers', () => {
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.runTo(10)
  for (const name of ['Ana', 'Ben', 'Cleo']) stops(sos, 15, name)
  sos.runTo(20)
  assert.ok(sos.news.includes('15 chat unanswered'), sos.news.join())
  assert.equal(isNobodyLeft(sos.incident), true)
  starts(sos, 100, 'Ben')
  sos.runTo(101)
  assert.ok(sos.told.includes('100 sms Ben'), 'who takes it back is alarmed')
  assert.equal(isNobodyLeft(sos.incident), false)
  stops(sos, 200, 'Ben')
  sos.runTo(300)
  assert.deepEqual(
    sos.news.filter((line) => line.includes('nobody_left')),
    ['15 chat nobody_left'],
    'chat hears it once',
  )
})

test('chat hears it with the alarm where all have stopped before; the round goes on, and a fallback contact is nobody of theirs', () => {
  const plan = planOf({ ...calm, contacts: ['Ana', 'Ben'], actuators: everyActuator })
  const opened = (contacts: readonly PlannedContact[]) => {
    const { incident } = decide({ incident: null, plan: { ...plan, contacts }, earlier: null }, raiseAt(0))
    return { incident: incident!, chat: incident!.deliveries.filter(({ channel }) => channel === 'chat') }
  }
  const [ana, ben] = plan.contacts
  const left = [
    { ...ana!, isStopped: true as const },
    { ...ben!, isStranger: true as const },
  ]
  const hut = fallbackEntry(plan.appId, { name: 'Hut', phone: '+436601111111' }, { language: 'en', ahead: 2 })
  for (const contacts of [left, [hut, ...left]]) {
    const { incident, chat } = opened(contacts)
    assert.deepEqual(
      chat.map(({ purpose, dueAt }) => [purpose, dueAt]),
      [
        ['alarm', momentAt(10)],
        ['nobody_left', momentAt(10)],
      ],
    )
    assert.equal(incident.deliveries.filter(({ channel }) => channel === 'sms').length >= 2, true)
    const person = { name: null, phone: null }
    const shown = { presses: 1, isCalledBack: false, applicationName: null, lastPosition: null, person }
    assert.equal(boardItem({ ...shown, incident } as never).nobodyLeft, true)
  }
  for (const contacts of [[left[0]!, ben!], [hut], []]) {
    assert.deepEqual(
      opened(contacts).chat.map(({ purpose }) => purpose),
      ['alarm'],
    )
  }
})

test('who does not know the person and then helps sees the position, also after a further alarm or a new name', () => {
  const plan = planOf({ ...calm, settings: { ...calm.settings, voice: false } })
  // As it is kept for later incidents.
  const strangers = plan.contacts.map((one) => (one.name === 'Ana' ? { ...one, isStranger: true as const } : one))
  const renamed = { type: 'updateContact', bySession: true, contact: { ...strangers[0]!, name: 'Ana Maria' } } as const
  const again = (sos: Story, seconds: number) => {
    sos.goesBy({ ...plan, contacts: strangers })
    sos.presses(seconds)
    sos.runTo(seconds + 1_000)
  }
  const place = (sos: Story) =>
    positionAccess(sos.incident, sos.incident.contacts.find(({ contactId }) => contactId === 'contact-Ana')!)
  const said = () => {
    const sos = pressed(calm)
    sos.runTo(10)
    stops(sos, 15, 'Ana', 'stranger')
    sos.told.length = 0
    return sos
  }
  const before = said()
  again(before, 5_000)
  before.does(6_500, renamed)
  assert.deepEqual([of(before, 'Ana'), place(before)], [[], 'withheld'], 'nothing until they take it back')
  before.acknowledges(7_000, 'Ana')
  assert.equal(place(before), 'shown')

  const after = said()
  after.acknowledges(20, 'Ana')
  assert.equal(place(after), 'shown')
  after.does(30, renamed)
  assert.equal(place(after), 'shown')
  again(after, 5_000)
  assert.ok(of(after, 'Ana').length > 0)
  assert.equal(place(after), 'shown')
  // They say it once more.
  stops(after, 6_500, 'Ana', 'stranger')
  assert.equal(place(after), 'withheld')
})

test('who did not know the person before the incident stays without position until START or a confirmation', () => {
  const plan = planOf(calm)
  const [ana, ...others] = plan.contacts
  const sos = pressed(calm)
  sos.restores({
    ...sos.incident,
    contacts: sos.incident.contacts.map((one, n) => (n === 0 ? { ...one, isStranger: true } : one)),
  })
  stops(sos, 15, 'Ana', 'stranger')
  sos.goesBy({ ...plan, contacts: [{ ...ana!, isStranger: true }, ...others] })
  sos.acknowledges(20, 'Ana')
  sos.presses(5_000)
  sos.runTo(5_100)
  assert.equal(sees(sos, 'Ana'), 'withheld')
  starts(sos, 5_200, 'Ana')
  assert.equal(sees(sos, 'Ana'), 'shown')
})

test('taking it back alarms anew once, however often it is done', () => {
  const sos = pressed({ ...calm, settings: { ...calm.settings, rounds: 1, persistHours: 0 } })
  sos.runTo(10)
  for (let n = 0; n < 10; n++) {
    stops(sos, 20 + 2 * n, 'Ana')
    starts(sos, 21 + 2 * n, 'Ana')
    sos.runTo(21 + 2 * n)
  }
  assert.deepEqual(of(sos, 'Ana'), ['10 sms Ana', '21 sms Ana'])
})

test('one who helps after all gets messages again; a slip within a second of the own answer does not count', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  stops(sos, 15, 'Ana')
  sos.acknowledges(20, 'Ana')
  assert.equal(sos.incident.contacts[0]?.stopped, undefined)
  assert.equal(stops(sos, 20.5, 'Ana', 'stranger').verdict, 'unchanged')
})

test('in later incidents they come last, without position; if nobody else is left, the fallback contact comes first', () => {
  const application = {
    id: '0199aaaa-0000-7000-8000-00000000000b',
    legacy: false,
    language: 'en',
    settings: {},
    actuators: { emergency_contacts: {} },
    fallbackContact: { name: 'Hut', phone: '+436601111111' },
    silentByDefault: false,
  }
  const user = { id: '0199aaaa-0000-7000-8000-00000000000a', externalUserId: 'hut-1' }
  const [ana, ben] = ['Ana', 'Ben'].map(contactCalled)
  const stopped = { ...ana!, isStopped: true as const }
  const namesOf = (contacts: readonly (typeof stopped | NonNullable<typeof ben>)[]) =>
    alarmPlanOf({ user, application, contacts }, defaultSettings).contacts.map(({ name, priority }) => [name, priority])
  assert.deepEqual(namesOf([stopped, ben!]), [
    ['Ben', 1],
    ['Ana', 2],
    ['Hut', 3],
  ])
  assert.deepEqual(namesOf([stopped, { ...ben!, isStranger: true }]), [
    ['Hut', 1],
    ['Ana', 2],
    ['Ben', 3],
  ])
  const later = pressed(calm)
  later.restores({ ...later.incident, contacts: later.incident.contacts.map((one) => ({ ...one, isStopped: true })) })
  assert.equal(sees(later, 'Ana'), 'withheld')
  starts(later, 20, 'Ana')
  assert.equal(sees(later, 'Ana'), 'shown')
})
