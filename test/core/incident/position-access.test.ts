import assert from 'node:assert/strict'
import { test } from 'node:test'
import { positionAccess } from '../../../src/core/incident/position-access.ts'
import {
  contactCalled,
  everyActuator,
  failed,
  momentAt,
  planOf,
  pressed,
  type Story,
  sent,
  type Timeless,
} from '../build.ts'

const calm = { contacts: ['Ana', 'Ben'], settings: { voice: false, rounds: 1, persistHours: 0 } }

const idOf = (sos: Story, nameOrPhone: string): string => {
  const found = sos.incident.contacts.findLast(({ name, phone }) => name === nameOrPhone || phone === nameOrPhone)
  if (found === undefined) throw new Error(`no contact ${nameOrPhone}`)
  return found.contactId
}
const sees = (sos: Story): Record<string, string> =>
  Object.fromEntries(
    sos.incident.contacts.map((contact) => [
      contact.correctionOf === undefined ? contact.name : `${contact.name} ${contact.phone}`,
      positionAccess(sos.incident, contact),
    ]),
  )
const change = (type: 'addContact' | 'updateContact', name: string, phone?: string): Timeless => {
  const contact = contactCalled(name, name.length)
  return { type, bySession: true, contact: { ...contact, ...(phone !== undefined && { phone }) } }
}
const removes = (name: string): Timeless => ({ type: 'removeContact', contactId: `contact-${name}` })
const shows = (sos: Story, name: string, by: string | null): Timeless => ({
  type: 'showPosition',
  contactId: idOf(sos, name),
  by: by === null ? null : idOf(sos, by),
})
const OTHER = '+436609999999'

test('whom the own session adds is alarmed, and sees the position once someone of the opening or an operator says so', () => {
  for (const by of ['Ana', null]) {
    const sos = pressed(calm)
    sos.does(15, change('addContact', 'Mallory'))
    sos.runTo(100)
    assert.deepEqual(sos.told, ['10 sms Ana', '40 sms Ben', '70 sms Mallory'])
    assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', Mallory: 'withheld' })
    assert.equal(sos.does(110, shows(sos, 'Mallory', 'Mallory')).verdict, 'unchanged')
    assert.equal(sos.does(120, shows(sos, 'Mallory', by)).verdict, 'changed')
    assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', Mallory: 'shown' })
  }
})

test('nobody lets one see it who was removed again', () => {
  const sos = pressed(calm)
  sos.does(15, change('addContact', 'Mallory'))
  sos.does(16, removes('Mallory'))
  for (const by of ['Ana', null]) assert.equal(sos.does(20, shows(sos, 'Mallory', by)).verdict, 'unchanged')
  assert.equal(sees(sos).Mallory, 'withheld')
})

test('one who was added lets nobody else see it, shown or not', () => {
  const sos = pressed(calm)
  sos.does(15, change('addContact', 'Mallory'))
  sos.does(16, change('addContact', 'Trudy'))
  sos.does(17, shows(sos, 'Mallory', null))
  assert.equal(sos.does(20, shows(sos, 'Trudy', 'Mallory')).verdict, 'unchanged')
  assert.equal(sees(sos).Trudy, 'withheld')
})

test('whom an operator adds sees it, at once and after an answer, and whoever joins an incident without anybody', () => {
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.adds(15, 'Ida')
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', Ida: 'shown' })
  sos.acknowledges(20, 'Ana')
  sos.adds(25, 'Jo')
  sos.does(26, change('addContact', 'Mallory'))
  sos.becomes({ ...calm, contacts: ['Ana', 'Ben', 'Ida', 'Jo', 'Mallory'], actuators: everyActuator })
  sos.presses(1_000)
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', Ida: 'shown', Jo: 'shown', Mallory: 'withheld' })

  const alone = pressed({ ...calm, contacts: [] })
  alone.does(15, change('addContact', 'Ana'))
  alone.does(16, change('addContact', 'Ben'))
  assert.deepEqual(sees(alone), { Ana: 'shown', Ben: 'shown' })
})

test('whom an operator added after an answer sees nothing at a number that the own session has put there since', () => {
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.runTo(15)
  sos.acknowledges(20, 'Ana')
  sos.adds(25, 'Jo')
  sos.does(26, change('updateContact', 'Jo', OTHER))
  sos.runTo(30)
  assert.deepEqual(sos.news.filter((line) => line.includes('contacts_changed')).toSorted(), [
    '26 chat contacts_changed',
    '26 sms Ana contacts_changed',
  ])
  const now = planOf({ ...calm, contacts: ['Ana', 'Ben', 'Jo'], actuators: everyActuator })
  sos.goesBy({ ...now, contacts: now.contacts.map((one) => (one.name === 'Jo' ? { ...one, phone: OTHER } : one)) })
  sos.presses(400)
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', Jo: 'withheld' })
})

test('it is told that the own session removed whom an operator had just added', () => {
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.runTo(15)
  sos.acknowledges(20, 'Ana')
  sos.adds(25, 'Jo')
  sos.does(26, removes('Jo'))
  assert.equal(sos.incident.contactsChangedAt, momentAt(26))
})

// rules.md#position-access.
test('a number that an operator corrects is alarmed and sees the position; one whom an operator removes does not', () => {
  const byOperator = (given: Timeless): Timeless => {
    const { bySession: _, ...rest } = given as Timeless & { bySession?: true }
    return { ...rest, byOperator: true } as Timeless
  }
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.does(5, byOperator(change('updateContact', 'Ben', OTHER)))
  sos.runTo(15)
  sos.does(16, byOperator(change('updateContact', 'Ana', '+436608888888')))
  sos.runTo(100)
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', 'Ana +436608888888': 'shown' })
  assert.deepEqual(
    sos.told.filter((line) => line.includes(' sms ')),
    ['10 sms Ana', '16 sms Ana', '40 sms Ben'],
  )
  sos.does(110, byOperator(removes('Ana')))
  assert.deepEqual(sees(sos), { Ana: 'over', Ben: 'shown', 'Ana +436608888888': 'over' })
  sos.does(111, byOperator(removes('Ben')))
  assert.equal(sees(sos).Ben, 'over', 'nobody else is left: the operator knows')
  sos.runTo(120)
  assert.equal(sos.incident.contactsChangedAt, undefined)
  assert.ok(!sos.news.some((line) => line.includes('contacts_changed')))
})

test('a removed contact keeps the position until another one of the opening has been told', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.does(20, removes('Ana'))
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown' })
  sos.runTo(40, (row) => (row.contactId === 'contact-Ben' ? failed('invalid number', false) : sent))
  assert.equal(sees(sos).Ana, 'shown')
  sos.acknowledges(50, 'Ben')
  assert.deepEqual(sees(sos), { Ana: 'over', Ben: 'shown' })
})

test('the last contact who was told keeps it though everyone is removed, and others are added', () => {
  const sos = pressed(calm)
  sos.does(15, change('addContact', 'Mallory'))
  sos.runTo(100)
  sos.does(110, removes('Ben'))
  sos.does(111, removes('Ana'))
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'over', Mallory: 'withheld' })
  sos.becomes({ ...calm, contacts: ['Mallory'] })
  sos.presses(1_000)
  assert.deepEqual(sees(sos), { Mallory: 'withheld', Ana: 'shown', Ben: 'over' })
  sos.does(1_100, { type: 'acknowledge', contactId: null, name: 'Eva' })
  assert.deepEqual(sees(sos), { Mallory: 'withheld', Ana: 'over', Ben: 'over' })
})

test('an end takes it from the last one as well', () => {
  const sos = pressed(calm)
  sos.runTo(100)
  sos.does(110, removes('Ana'))
  sos.does(111, removes('Ben'))
  assert.equal(sees(sos).Ben, 'shown')
  sos.cancels(120)
  assert.deepEqual(sees(sos), { Ana: 'over', Ben: 'over' })
})

test('a number corrected before any attempt replaces the old one, and sees nothing until it is let', () => {
  const sos = pressed(calm)
  sos.does(5, change('updateContact', 'Ana', OTHER))
  sos.runTo(100)
  assert.deepEqual(sos.told, ['10 sms Ana', '40 sms Ben'])
  assert.equal(sos.incident.contacts.length, 2)
  assert.equal(sos.rows('sms', 'Ana')[0]?.to, OTHER)
  assert.deepEqual(sees(sos), { Ana: 'withheld', Ben: 'shown' })
})

test('after an attempt both numbers are alarmed, with links of their own, through later alarms', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.does(20, change('updateContact', 'Ana', OTHER))
  sos.runTo(100)
  assert.deepEqual(sos.told, ['10 sms Ana', '20 sms Ana', '40 sms Ben'])
  const [first, second] = sos.incident.contacts.filter(({ name }) => name === 'Ana')
  assert.notEqual(first?.token, second?.token)
  assert.deepEqual(sees(sos), { Ana: 'shown', Ben: 'shown', [`Ana ${OTHER}`]: 'withheld' })
  sos.does(110, change('updateContact', 'Ana', OTHER))
  assert.equal(sos.incident.contacts.length, 3)
  const plan = { ...calm, contacts: ['Ana', 'Ben'] }
  sos.becomes(plan)
  sos.told.length = 0
  sos.presses(1_000)
  sos.runTo(1_100)
  assert.deepEqual(sos.told.toSorted(), ['1000 sms Ana', '1030 sms Ana', '1060 sms Ben'].toSorted())
  assert.equal(sos.does(1_110, shows(sos, OTHER, 'Ben')).verdict, 'changed')
  assert.equal(sees(sos)[`Ana ${OTHER}`], 'shown')
})

test('a number that could not be reached is not tried again once it is corrected', () => {
  const sos = pressed(calm)
  sos.runTo(10, () => failed('invalid number', false))
  sos.does(20, change('updateContact', 'Ana', OTHER))
  sos.runTo(50)
  assert.deepEqual(sos.told, ['10 sms Ana', '20 sms Ana', '40 sms Ben'])
  assert.equal(sos.incident.contacts.find(({ contactId }) => contactId === 'contact-Ana')?.gone, true)
  // It was right after all.
  sos.does(60, change('updateContact', 'Ana', contactCalled('Ana', 0).phone))
  sos.runTo(100)
  assert.equal(sos.told.at(-1), '60 sms Ana')
  assert.equal(sees(sos).Ana, 'shown')
})

test('of two corrections after failures, the second gives up the number that failed last', () => {
  const sos = pressed(calm)
  sos.runTo(10, () => failed('invalid number', false))
  sos.does(20, change('updateContact', 'Ana', OTHER))
  sos.runTo(80, () => failed('invalid number', false))
  sos.does(100, change('updateContact', 'Ana', '+436609990002'))
  const gone = sos.incident.contacts.filter((one) => one.gone).map(({ phone }) => phone)
  assert.deepEqual(gone.toSorted(), [contactCalled('Ana', 0).phone, OTHER].toSorted())
})

test('a helper whom no message reached keeps the position when the session corrects the number', () => {
  const sos = pressed(calm)
  sos.runTo(10, () => failed('invalid number', false))
  sos.acknowledges(15, 'Ana')
  sos.does(20, change('updateContact', 'Ana', OTHER))
  assert.equal(sees(sos).Ana, 'shown')
  assert.equal(sos.incident.contacts.find(({ contactId }) => contactId === 'contact-Ana')?.gone, undefined)
})

test('numbers corrected without end do not grow an incident', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  for (let n = 0; n < 100; n++) {
    sos.does(20 + n, change('updateContact', 'Ana', `+4366055${String(n).padStart(5, '0')}`))
    sos.runTo(20 + n)
  }
  assert.equal(sos.incident.contacts.length, 20)
  assert.equal(sos.incident.contacts[0]?.phone, contactCalled('Ana', 0).phone)
})

test('chat and the contacts of the opening who have the alarm hear of changes, once', () => {
  const sos = pressed({ ...calm, actuators: everyActuator })
  sos.runTo(10)
  sos.does(15, change('addContact', 'Mallory'))
  sos.does(16, removes('Ben'))
  sos.runTo(100)
  assert.deepEqual(sos.news, ['15 chat contacts_changed', '15 sms Ana contacts_changed'])
  const quiet = pressed(calm)
  quiet.does(5, { type: 'updateContact', bySession: true, contact: { ...contactCalled('Ana', 0), name: 'Anna' } })
  assert.equal(quiet.incident.contactsChangedAt, undefined)
})
