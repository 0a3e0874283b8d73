import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFallback } from '../../../src/core/account/fallback-contact.ts'
import { fallbackEntry } from '../../../src/core/incident/alarm-plan.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { APP, contactCalled, momentAt, planOf, raiseAt, secondsOf } from '../build.ts'

const desk = { name: 'Desk', phone: '+431000000' }

test('the fallback contact of an application is the same in every incident, and no other contact is mistaken for it', () => {
  const [first, second] = [1, 5].map((place) => fallbackEntry(APP, desk, { language: 'en', ahead: place }))
  assert.equal(first?.contactId, second?.contactId)
  assert.ok(first !== undefined && isFallback(first))
  assert.ok(!isFallback(contactCalled('Ana', 0)))
  assert.ok(!isFallback({ contactId: '0199aaaa-0000-7000-8000-00000000000a' }))
})

test('a contact who joins an open incident comes before the fallback contact', () => {
  const ana = contactCalled('Ana', 0)
  const plan = { ...planOf({}), contacts: [ana, fallbackEntry(APP, desk, { language: 'en', ahead: 1 })] }
  const opened = decide({ incident: null, plan, earlier: null, lastSeenAt: null }, raiseAt(0))
  const joined = decide(
    { incident: opened.incident, plan: null, earlier: null, lastSeenAt: null },
    { type: 'addContact', now: momentAt(1), contact: contactCalled('Ben', 1) },
  )
  const { contacts, deliveries } = joined.incident as Incident
  assert.deepEqual(
    contacts.map(({ name, priority }) => [name, priority]),
    [
      ['Ana', 1],
      ['Ben', 2],
      ['Desk', 3],
    ],
  )
  const ben = deliveries.filter(({ contactId, channel }) => contactId === 'contact-Ben' && channel === 'sms')
  // The second place of the cascade: 10 s of grace and one interval of 30 s.
  assert.deepEqual(
    ben.map(({ dueAt }) => secondsOf(dueAt)),
    [40],
  )
})
