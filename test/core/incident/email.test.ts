import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import { planCascade } from '../../../src/core/incident/escalation.ts'
import type { IncidentContact } from '../../../src/core/incident/incident.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { isDelivered, urgencyOf } from '../../../src/core/incident/standing.ts'
import { allGoesWell, contactCalled, delivered, failed, type Given, momentAt, pressed, sent } from '../build.ts'

// rules.md#email.

const two: Given = { contacts: ['Ana', 'Ben'], mailed: ['Ana'] }
const isMail = ({ channel }: Delivery): boolean => channel === 'email'
/** Mails have this outcome, everything else goes well. */
const mailsAre = (outcome: typeof sent) => (row: Delivery, at: number) => (isMail(row) ? outcome : allGoesWell(row, at))

/** The same story without mails, told side by side. */
const withoutMails = (told: readonly string[]): readonly string[] => told.filter((line) => !line.includes(' email '))

test('a contact with an address gets one mail a round beside the SMS, and nothing waits for it', () => {
  const [sos, other] = [pressed(two), pressed({ ...two, mailed: [] })]
  for (const story of [sos, other]) story.runTo(1000, mailsAre(sent))
  assert.deepEqual(
    sos.told.filter((line) => line.includes('email')),
    ['10 email Ana', '160 email Ana'],
  )
  assert.deepEqual(withoutMails(sos.told), other.told)
  assert.deepEqual(sos.incident.cascade, other.incident.cascade)
})

test('a site without a mail server plans none', () => {
  const { mailed: _, ...without } = two
  assert.deepEqual(pressed(without).incident.deliveries.filter(isMail), [])
})

for (const outcome of [
  failed('upstream SMTP 451', true),
  failed('upstream SMTP 550', false),
  { kind: 'unknown' } as const,
]) {
  test(`rounds and calls are the same whatever happens to mails: ${JSON.stringify(outcome)}`, () => {
    const [sos, other] = [pressed(two), pressed({ ...two, mailed: [] })]
    other.runTo(400)
    sos.runTo(400, (row, at) => {
      if (!isMail(row)) return allGoesWell(row, at)
      return outcome.kind === 'unknown' ? failed('connection timeout', true) : outcome
    })
    assert.deepEqual(withoutMails(sos.told), other.told)
    assert.equal(sos.incident.cascade.round, other.incident.cascade.round)
  })
}

test('a mail that fails for a while is tried again, and one that is refused is not', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { rounds: 1, voice: false } })
  sos.runTo(90, mailsAre(failed('upstream SMTP 451', true)))
  assert.deepEqual(
    sos.told.filter((line) => line.includes('email')),
    ['10 email Ana', '11 email Ana', '16 email Ana', '31 email Ana'],
  )
  const refused = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { rounds: 1 } })
  refused.runTo(60, mailsAre(failed('upstream SMTP 550', false)))
  assert.deepEqual(refused.told, ['10 sms Ana', '10 email Ana'], 'no call is moved forward')
  assert.deepEqual(
    refused.rows('email').map(({ status, error }) => [status, error]),
    [['failed', 'upstream SMTP 550']],
  )
})

test('a mail of unknown outcome goes out once more after a minute, then counts as failed', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { voice: false, rounds: 1 } })
  const unsure = { kind: 'not_found', error: 'connection timeout' } as const
  sos.proceeds(10)
  const { id } = sos.rows('email')[0]!
  sos.records(10, sos.rows('sms')[0]!.id, sent)
  sos.records(25, id, { kind: 'unknown' })
  sos.records(36, id, unsure)
  assert.equal(sos.rows('email')[0]?.dueAt, momentAt(96))
  sos.proceeds(96)
  sos.records(111, id, { kind: 'unknown' })
  sos.records(122, id, unsure)
  const [row] = sos.rows('email')
  assert.deepEqual([row?.status, row?.error, row?.mayHaveArrived], ['failed', 'connection timeout', true])
})

test('a refusal between two unknown outcomes does not let a mail out a third time', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { voice: false, rounds: 1 } })
  const unsure = { kind: 'not_found', error: 'connection timeout' } as const
  sos.proceeds(10)
  const { id } = sos.rows('email')[0]!
  sos.records(10, sos.rows('sms')[0]!.id, sent)
  sos.records(25, id, { kind: 'unknown' })
  sos.records(36, id, unsure)
  sos.proceeds(96)
  sos.records(97, id, failed('upstream SMTP 421', true))
  assert.equal(sos.rows('email')[0]?.status, 'scheduled')
  sos.proceeds(200)
  sos.records(215, id, { kind: 'unknown' })
  sos.records(226, id, unsure)
  const [row] = sos.rows('email')
  assert.deepEqual([row?.status, row?.error, row?.mayHaveArrived], ['failed', 'connection timeout', true])
})

test('a mail tells nobody: the contact counts as not reached, and gets the mail about the end', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { voice: false } })
  sos.runTo(12, (row) => (isMail(row) ? sent : failed('invalid number', false)))
  assert.deepEqual([isDelivered(sos.incident), urgencyOf(sos.incident)], [false, 0])
  const items = snapshotOf(sos.incident).items.map(({ type, status }) => [type, status])
  assert.deepEqual(items, [
    ['emergency_contacts', 'failed'],
    ['email', 'sent'],
  ])
  assert.deepEqual(
    snapshotOf(sos.incident).items[0]?.contacts?.[0]?.channels.map(({ channel }) => channel),
    ['sms'],
  )
  sos.cancels(20)
  sos.runTo(30)
  assert.deepEqual(sos.told.slice(2), ['20 email Ana ok'])
})

test('an answer ends the mails that wait, and a contact who cannot help gets no more', () => {
  const late = { contacts: ['Ana', 'Ben'], mailed: ['Ana', 'Ben'], settings: { contactIntervalSeconds: 60 } }
  const sos = pressed(late)
  sos.runTo(11)
  sos.does(20, { type: 'acknowledge', contactId: 'contact-Ana' })
  assert.deepEqual(
    sos.rows('email').map(({ status }) => status),
    ['delivered', 'skipped'],
  )
  const other = pressed(late)
  other.runTo(11)
  other.does(20, { type: 'decline', contactId: 'contact-Ana' })
  other.runTo(21)
  assert.deepEqual(other.told.slice(2), ['20 sms Ben', '20 email Ben'], 'the mail comes forward with the SMS')
})

for (const how of ['stranger', 'stop'] as const) {
  test(`a contact who stops messages gets no mail, and one text about the end: ${how}`, () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'], mailed: ['Ana', 'Ben'] })
    sos.runTo(11)
    sos.does(20, { type: 'stop', contactId: 'contact-Ana', how })
    sos.runTo(400)
    const toAna = () => sos.told.filter((line) => / Ana/.test(line))
    assert.deepEqual(toAna(), ['10 sms Ana', '10 email Ana'])
    sos.cancels(401)
    sos.runTo(410)
    assert.deepEqual(toAna().slice(2), ['401 sms Ana ok'])
    assert.ok(sos.told.includes('401 email Ben ok'), 'the others get both')
  })
}

test('a contact who stopped messages and can only have the mail gets a mail about the end', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], mailed: ['Ana'], settings: { voice: false } })
  sos.runTo(11, (row, at) => (row.channel === 'sms' ? failed('invalid number', false) : allGoesWell(row, at)))
  sos.does(20, { type: 'stop', contactId: 'contact-Ana', how: 'stranger' })
  sos.cancels(30)
  sos.runTo(40)
  assert.deepEqual(
    sos.told.filter((line) => / Ana/.test(line)),
    ['10 sms Ana', '10 email Ana', '30 email Ana ok'],
  )
})

test('an address that is changed during the alarm gets nothing of it', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'] })
  sos.runTo(11)
  const contact = { ...contactCalled('Ana', 0), name: 'Anna', email: 'eve@example.com' }
  sos.does(20, { type: 'updateContact', contact, bySession: true })
  const shown = () => sos.incident.contacts.map(({ name, email }) => [name, email])
  assert.deepEqual(shown(), [['Anna', 'Ana@example.com']])
  // Nor does the next alarm of the same incident, which takes the contacts of now.
  sos.does(30, { type: 'acknowledge', contactId: null })
  sos.becomes({ contacts: ['Ana'], mailed: [] })
  sos.presses(600)
  assert.deepEqual(shown(), [['Ana', 'Ana@example.com']])
})

test('a corrected number gets no second mail at an address that has the mail already', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { rounds: 1, voice: false } })
  sos.runTo(12, (row) => (isMail(row) ? sent : failed('invalid number', false)))
  const contact = { ...contactCalled('Ana', 0), phone: '+436609999999', email: 'Ana@example.com' }
  sos.does(20, { type: 'updateContact', contact, bySession: true })
  sos.runTo(60)
  assert.deepEqual(
    sos.told.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['10 sms', '10 email', '20 sms'],
  )
  // Nor does the former number, which was right after all.
  sos.does(70, {
    type: 'updateContact',
    contact: { ...contact, phone: contactCalled('Ana', 0).phone },
    bySession: true,
  })
  sos.runTo(80)
  assert.deepEqual(
    sos.told.slice(3).map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['70 sms'],
  )
  // One that could not leave goes out for the new number.
  const other = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { rounds: 1, voice: false } })
  other.runTo(12, (row) => (isMail(row) ? failed('connection refused', true) : failed('invalid number', false)))
  other.does(12, { type: 'updateContact', contact, bySession: true })
  other.runTo(60)
  assert.equal(other.rows('email').filter(({ status }) => status === 'delivered').length, 1)
})

test('contacts of an incident that an earlier version opened get no mail', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'] })
  const [{ email: _, ...ana }] = sos.incident.contacts as [IncidentContact]
  const drafts = planCascade(sos.incident.settings, [ana as IncidentContact], {
    ...{ round: 2, startAt: 0, httpChannel: false },
    email: true,
  })
  assert.deepEqual(
    drafts.map(({ channel }) => channel),
    ['sms', 'voice'],
  )
})

test('rounds of mails are folded like those of texts', () => {
  const sos = pressed({ contacts: ['Ana'], mailed: ['Ana'], settings: { rounds: 5, voice: false } })
  sos.runTo(1000, mailsAre(delivered))
  assert.equal(sos.incident.deliveries.filter(isMail).length, 1)
  const folded = sos.incident.folded.find(({ channel }) => channel === 'email')
  assert.deepEqual([folded?.actuator, folded?.count], ['email', 4])
})
