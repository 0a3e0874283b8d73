import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noResend } from '../../../src/core/incident/resend.ts'
import { contactsOnly, failed, momentAt, pressed, type Story, sent } from '../build.ts'

const calm = { contacts: ['Ana', 'Ben'], settings: { voice: true, rounds: 1, persistHours: 12 } }
const resends = (sos: Story, seconds: number, name: string) =>
  sos.does(seconds, { type: 'resend', contactId: `contact-${name}` })
const refusal = (sos: Story, seconds: number, name: string) =>
  noResend(sos.incident, `contact-${name}`, momentAt(seconds))
const from = (sos: Story): readonly string[] => {
  sos.told.length = 0
  return sos.told
}

test('an operator who has taken an incident has one contact told once more, over each channel', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'Eva' })
  from(sos)
  assert.equal(resends(sos, 100, 'Ben').verdict, 'changed')
  sos.runTo(1_000)
  assert.deepEqual(sos.told, ['100 sms Ben', '160 voice Ben'])
})

test('at most once a minute a contact, whatever is asked for', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null })
  for (let second = 100; second < 159; second++) resends(sos, second, 'Ben')
  assert.equal(refusal(sos, 159, 'Ben'), 'too_soon')
  assert.equal(refusal(sos, 159, 'Ana'), null)
  from(sos)
  sos.runTo(159)
  assert.deepEqual(sos.told, ['100 sms Ben'])
  assert.equal(resends(sos, 160, 'Ben').verdict, 'changed')
})

test('what still waits for the contact is brought forward: nobody gets a second text beside it', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  from(sos)
  resends(sos, 15, 'Ben')
  sos.runTo(120)
  assert.deepEqual(sos.told, ['15 sms Ben', '70 voice Ana', '75 voice Ben'])
})

test('nothing is sent within the grace window', () => {
  const sos = pressed(calm)
  resends(sos, 2, 'Ben')
  sos.runTo(9)
  assert.deepEqual(sos.told, [])
  sos.runTo(10)
  assert.deepEqual(sos.told, ['10 sms Ana', '10 sms Ben'])
})

test('however often it is asked for, the next round begins when it would have', () => {
  const nextRound = (isResent: boolean): readonly string[] => {
    const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 1, persistHours: 12 } })
    sos.runTo(10)
    for (let second = 60; isResent && second < 1_000; second += 60) {
      sos.runTo(second)
      resends(sos, second, 'Ana')
    }
    sos.runTo(1_000)
    from(sos)
    sos.runTo(1_100)
    return sos.told
  }
  assert.deepEqual(nextRound(true), nextRound(false))
})

test('a call that fails is not made again, and an answer settles what waits', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  resends(sos, 100, 'Ben')
  sos.runTo(159)
  from(sos)
  sos.runTo(400, (row) => (row.channel === 'voice' ? failed('busy', true) : sent))
  assert.deepEqual(sos.told, ['160 voice Ben'])
  resends(sos, 500, 'Ben')
  sos.runTo(500)
  sos.acknowledges(510, 'Ben')
  sos.runTo(900)
  assert.deepEqual(sos.told, ['160 voice Ben', '500 sms Ben'])
})

test('a provider that hangs does not let them grow: two attempts at one contact and channel are open', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  for (let second = 10; second < 1_000; second += 61) {
    resends(sos, second, 'Ana')
    sos.does(second, { type: 'proceed', inFlight: sos.incident.deliveries.map(({ id }) => id) })
  }
  const open = sos.incident.deliveries.filter(({ status, channel }) => status === 'scheduled' && channel === 'sms')
  assert.equal(open.length, 2)
})

test('refused for closed and held incidents, for strangers for those who were removed, and for those who stopped messages', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  assert.equal(refusal(sos, 20, 'Cleo'), 'contact_not_found')
  sos.does(20, { type: 'stop', contactId: 'contact-Ben', how: 'stop' })
  assert.equal(refusal(sos, 20, 'Ben'), 'contact_stopped')
  sos.does(20, { type: 'restore' })
  assert.equal(refusal(sos, 21, 'Ana'), 'incident_held')
  assert.equal(resends(sos, 21, 'Ana').verdict, 'unchanged')
  sos.does(22, { type: 'resume' })
  sos.acknowledges(23, 'Ana')
  sos.becomes({ contacts: ['Ana'], settings: calm.settings, actuators: contactsOnly })
  sos.presses(400)
  sos.runTo(400)
  assert.equal(refusal(sos, 401, 'Ben'), 'contact_not_found')
  sos.resolves(410)
  assert.equal(refusal(sos, 411, 'Ana'), 'incident_closed')
  assert.equal(resends(sos, 411, 'Ana').verdict, 'unchanged')
})

test('the minute outlives a re-alarm, and a clock that was set back does not prolong it', () => {
  const sos = pressed(calm)
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.runTo(395)
  resends(sos, 395, 'Ben')
  sos.presses(400)
  sos.runTo(400)
  assert.equal(refusal(sos, 410, 'Ben'), 'too_soon')
  assert.equal(refusal(sos, 100, 'Ben'), null)
})
