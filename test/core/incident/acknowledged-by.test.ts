import assert from 'node:assert/strict'
import { test } from 'node:test'
import { incidentEvent, incidentView, relayView } from '../../../src/core/incident/event.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { isoAfter, momentAt, pressed, RELAY, type Story } from '../build.ts'

const people = { contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30 } }

function alarmed(): Story {
  const sos = pressed(people)
  sos.runTo(45)
  return sos
}
const answers = (sos: Story, seconds: number, operatorId = 'eva') =>
  sos.does(seconds, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId })
const by = ({ incident }: { readonly incident: Incident }) => incidentView(incident, null).acknowledgedBy
const contact = (name: string, seconds: number) => {
  return { kind: 'contact', contactId: `contact-${name}`, name, at: isoAfter(seconds) }
}
const operator = (name: string | null, seconds: number) => {
  return { kind: 'operator', contactId: null, name, at: isoAfter(seconds) }
}

test('nobody has answered, then a contact has, then another one', () => {
  const sos = alarmed()
  assert.equal(by(sos), null)
  const { events } = sos.acknowledges(50, 'Ana')
  assert.deepEqual(
    events.map(({ message }) => message.acknowledgedBy),
    [contact('Ana', 50), contact('Ana', 50)],
    'in the event and in the update behind it',
  )
  sos.acknowledges(60, 'Ben')
  assert.deepEqual(by(sos), contact('Ben', 60))
  assert.equal(incidentView(sos.incident, null).acknowledgedAt, isoAfter(50), 'the first one, as before')
})

test('an operator is named as such, and a later one instead', () => {
  const sos = alarmed()
  answers(sos, 50)
  assert.deepEqual(by(sos), operator('Eva', 50))
  sos.does(80, { type: 'takeOver', operatorId: 'ivo', name: 'Ivo', from: 'eva' })
  assert.deepEqual(by(sos), operator('Ivo', 80))
})

test('an answer that is taken back is named no longer: the one before is, or nobody', () => {
  const sos = alarmed()
  sos.acknowledges(50, 'Ana')
  sos.acknowledges(60, 'Ben')
  sos.does(70, { type: 'decline', contactId: 'contact-Ben' })
  assert.deepEqual(by(sos), contact('Ana', 50))
  sos.does(80, { type: 'decline', contactId: 'contact-Ana' })
  assert.equal(by(sos), null)
  assert.equal(sos.incident.state.status, 'acknowledged')

  const taken = alarmed()
  taken.acknowledges(50, 'Ana')
  answers(taken, 60)
  taken.does(70, { type: 'decline', contactId: null, operatorId: 'eva' })
  assert.deepEqual(by(taken), contact('Ana', 50))

  const left = alarmed()
  answers(left, 50)
  left.does(300, { type: 'leave', operatorId: 'eva', isAlone: true })
  assert.equal(by(left), null)
})

test('the end keeps the answer', () => {
  const sos = alarmed()
  sos.acknowledges(50, 'Ana')
  sos.resolves(90)
  assert.deepEqual(by(sos), contact('Ana', 50))
})

test('a contact who was removed before the alarm that counts is not named', () => {
  const sos = alarmed()
  sos.acknowledges(50, 'Ana')
  const contacts = sos.incident.contacts.map((one) => (one.name === 'Ana' ? { ...one, gone: true as const } : one))
  assert.equal(by({ incident: { ...sos.incident, contacts } }), null)
})

test('an answer of an operator that an earlier version recorded is named', () => {
  const sos = alarmed()
  answers(sos, 50)
  const { takenBy: _, ...incident } = sos.incident
  assert.deepEqual(by({ incident: { ...incident, lastAnswer: { at: momentAt(50), contactId: null, name: null } } }), {
    ...operator(null, 50),
  })
})

// rules.md#telling-others: in a silent emergency nothing but the board has names.
test('in a silent emergency the app learns that somebody answered, and no name', () => {
  const sos = alarmed()
  sos.acknowledges(50, 'Ana')
  const incident: Incident = { ...sos.incident, silent: true }
  assert.deepEqual(by({ incident }), { ...contact('Ana', 50), name: null })
  const { message } = incidentEvent('acknowledged', incident)
  assert.deepEqual(message.acknowledgedBy, by({ incident }))
  const operators = alarmed()
  answers(operators, 50)
  assert.deepEqual(by({ incident: { ...operators.incident, silent: true } }), operator(null, 50))
})

test('a relay does not learn who answered, and no snapshot says it', () => {
  const sos = alarmed()
  answers(sos, 50)
  const view = incidentView(sos.incident, null)
  assert.equal(relayView(view, { sent: null, relayUserId: RELAY }).acknowledgedBy, null)
  assert.equal(JSON.stringify(view.actuators).includes('acknowledgedBy'), false)
})
