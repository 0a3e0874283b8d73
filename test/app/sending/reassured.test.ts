import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textsFor } from '../../../src/adapters/inbound/http/tracking/language.ts'
import { trackingDocument } from '../../../src/adapters/inbound/http/tracking/page.ts'
import { answerCall } from '../../../src/app/answers/answer-call.ts'
import { tracking } from '../../../src/app/answers/tracking.ts'
import { isoAfter, momentAt, pressed } from '../../core/build.ts'

// A contact who is alarmed because the helper fell silent must not hear that someone else is taking care of it.

/** Ana answers and falls silent, so Ben is texted and called. */
function silentAna() {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { watchMinutes: 30 } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.runTo(20 + 36 * 60 + 5)
  const ben = sos.incident.contacts.find(({ name }) => name === 'Ben')!
  const call = sos.rows('voice', 'Ben').at(-1)!
  const record = { incident: sos.incident, lastPosition: null }
  const at = { ms: momentAt(2_900), nanos: 0, text: isoAfter(2_900) }
  const report = { payload: { mobileBattery: 9 }, at, receivedAt: momentAt(2_900), source: 'session' }
  const store = {
    incident: async () => record,
    attempt: async () => call,
    trackingLink: async () => ({ ...record, contactId: ben.contactId }),
    contacts: async () => [],
    telemetryHistory: async () => ({ items: [report], after: null }),
    user: async () => ({ id: 'u', externalUserId: 'hut-1', name: 'Mia', phone: null }),
    application: async () => ({
      name: 'Hut',
      language: 'en',
      timeZone: 'UTC',
      texts: {},
      allowedPrefixes: [],
      actuators: {},
    }),
  }
  const parts = { store, door: {}, clock: { now: () => momentAt(3_000) }, machineTimeZone: () => 'UTC' }
  return { parts, call }
}

test('the page shows an alarm, and that it was raised again', async () => {
  const { parts } = silentAna()
  const page = await tracking({ ...parts, emergencyNumbers: () => ({}), isDateBelieved: () => true } as never).page(
    'token',
  )
  assert.ok(!('refused' in page))
  const document = trackingDocument(page, textsFor(['en']), '/t/token', momentAt(3_000))
  assert.match(document, /<header class="alarm"/)
  assert.match(document, /sent again after/)
})

test('the call does not mention another helper', async () => {
  const { parts, call } = silentAna()
  const reply = await answerCall({ ...parts, publicUrl: () => 'https://sos.example' } as never)(call.id, '2')
  assert.deepEqual(reply?.said, [])
  assert.match(reply?.question ?? '', /has not been in touch since/)
})

test('the call that is repeated after a key says the newest battery, not that of the press', async () => {
  const { parts, call } = silentAna()
  const reply = await answerCall({ ...parts, publicUrl: () => 'https://sos.example' } as never)(call.id, '2')
  assert.match(reply?.question ?? '', /Phone battery at 9 percent/)
})
