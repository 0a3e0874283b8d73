import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerSms } from '../../../src/app/answers/answer-sms.ts'
import type { IncidentDoor } from '../../../src/app/incident-door.ts'
import type { Command } from '../../../src/core/incident/command.ts'
import { incidentIdOf } from '../../../src/core/incident/escalation.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import type { SentText } from '../../../src/ports/sent-texts.ts'
import { alertAt, momentAt, planOf, raiseAt } from '../../core/build.ts'
import { asStore, IncidentsInMemory, silentParts } from '../../harness/incidents-in-memory.ts'

// sms.md#sms-answers.

const FIRST = '0190aaaa-0000-7000-8000-000000000001'
const SECOND = '0190aaaa-0000-7000-8000-000000000002'
const ANA = '+43000000000001'
const BEN = '+43000000000002'

/** Incidents of one person with contacts Ana and Ben, both texted: Ana by 47 and 12, Ben by 48 and 13. */
function hut({
  incidents = [FIRST],
  drills = [],
  contacts = ['Ana', 'Ben'],
  reports = false,
  publicUrl = 'https://sos.example.org',
}: {
  readonly incidents?: readonly string[]
  readonly drills?: readonly string[]
  readonly contacts?: readonly string[]
  readonly reports?: boolean
  readonly publicUrl?: string
} = {}) {
  const plan = planOf({ contacts, settings: { voice: false, watchMinutes: 30 } })
  const held = new IncidentsInMemory([], plan)
  const texts: SentText[] = []
  const codes = [
    ['47', '48'],
    ['12', '13'],
  ]
  for (const [place, id] of incidents.entries()) {
    const raise = raiseAt(place, alertAt(place), { incidentId: id })
    held.run(id, drills.includes(id) ? { ...raise, type: 'drill', toContacts: true } : raise)
    held.incident(id).contacts.forEach(({ contactId, phone }, nth) => {
      const row = held.incident(id).deliveries.find((one) => one.contactId === contactId && one.channel === 'sms')
      texts.unshift({ to: phone, attemptId: row!.id, code: codes[place]![nth]!, sentAt: momentAt(place) })
    })
  }
  const replies: string[] = []
  const notes: string[] = []
  const counts: string[] = []
  const receipts: unknown[] = []
  const marks: string[] = []
  let now = momentAt(60)
  const door: Pick<IncidentDoor, 'change'> = {
    change: async (key, command: Command) => held.run('incidentId' in key ? key.incidentId : '', command),
  }
  const attempt = (id: string) => held.incident(incidentIdOf(id)).deliveries.find((row) => row.id === id)
  const handle = answerSms({
    ...silentParts,
    publicUrl: () => publicUrl,
    store: asStore({
      ...held.store,
      markContact: async (_userId: string, contactId: string, { what, phone }: { what: string; phone: string }) =>
        void marks.push(`${what} ${contactId} ${phone}`),
      incident: async (id: string) =>
        held.ids.includes(id) ? { incident: held.incident(id), lastPosition: null } : null,
      attempt: async (id: string) => (reports ? { ...attempt(id), status: 'sent' } : attempt(id)) ?? null,
    }),
    door: door as IncidentDoor,
    sent: { sentTo: async (from) => texts.filter(({ to }) => to === from || to.endsWith(from)) },
    reply: async (to, text) => void replies.push(`${to}: ${text}`),
    keepNote: async ({ id }, { name }, text) => {
      notes.push(`${id} ${name}: ${text}`)
      return true
    },
    recordReceipt: async (...receipt) => void receipts.push(receipt),
    clock: { now: () => now },
    meter: { count: (_, labels) => void counts.push(Object.values(labels ?? {}).join()) },
  })
  return {
    held,
    replies,
    notes,
    counts,
    receipts,
    marks,
    sent: texts,
    texts: (from: string, text: string, ageMs = 0) => handle({ from, text, ageMs }),
    passes(ms: number) {
      now += ms
    },
    answers: (id = FIRST) =>
      Object.fromEntries(
        held
          .incident(id)
          .contacts.map(({ name, acknowledgedAt, response }) => [
            name,
            acknowledgedAt !== null ? 'helps' : (response?.kind ?? 'silent'),
          ]),
      ),
    status: (id = FIRST) => held.incident(id).state.status,
  }
}

test('OK with the code acknowledges as the button does, and the contact is told, with the way back', async () => {
  const site = hut()
  await site.texts(ANA, 'ok 47')
  assert.deepEqual([site.status(), site.answers()], ['acknowledged', { Ana: 'helps', Ben: 'silent' }])
  assert.deepEqual(site.counts, ['help'])
  assert.equal(site.replies.length, 1)
  assert.match(site.replies[0]!, /^\+43000000000001: Thank you\. Your answer to Mia's SOS .* answer NO 47\.$/)
})

test('the same text again, as after a crash, changes nothing and is not answered again', async () => {
  const site = hut()
  await site.texts(ANA, 'OK 47')
  const before = site.held.incident(FIRST)
  await site.texts(ANA, 'OK 47')
  assert.equal(site.held.incident(FIRST), before)
  assert.equal(site.replies.length, 1)
})

test('NO says that the contact cannot help: the cascade goes on', async () => {
  const site = hut()
  await site.texts(ANA, 'Nein 47')
  assert.deepEqual([site.status(), site.answers()], ['active', { Ana: 'unable', Ben: 'silent' }])
})

test('a code counts only from the number that it was sent to', async () => {
  const site = hut()
  await site.texts(BEN, 'OK 47')
  assert.deepEqual([site.status(), site.counts], ['active', ['unclear']])
  assert.match(site.replies[0]!, /^\+43000000000002: .*OK 48 for Mia$/)
})

test('a number that was never texted is not listened to', async () => {
  const site = hut()
  for (const text of ['OK 47', 'OK', 'hello']) await site.texts('+4915112345678', text)
  assert.deepEqual([site.status(), site.replies, site.notes], ['active', [], []])
  assert.deepEqual(site.counts, ['dropped', 'dropped', 'dropped'])
})

test('a number that two contacts end with, shown without its country code, is nobody’s', async () => {
  const site = hut({ contacts: ['Ana', 'Ben'] })
  await site.texts('0', 'OK')
  await site.texts('', 'OK 47')
  assert.deepEqual([site.status(), site.counts], ['active', ['dropped', 'dropped']])
})

test('a number that is no longer the contact’s answers nothing', async () => {
  const site = hut()
  const [ana] = site.held.incident(FIRST).contacts
  const { token: _, acknowledgedAt: __, ...contact } = ana!
  site.held.run(FIRST, { type: 'updateContact', now: momentAt(30), contact: { ...contact, phone: '+43999' } })
  await site.texts(ANA, 'OK 47')
  await site.texts(ANA, 'OK')
  await site.texts(ANA, 'some words')
  assert.deepEqual([site.status(), site.replies, site.notes], ['active', [], []])
})

test('a bare OK counts where it can mean one thing only', async () => {
  const site = hut()
  await site.texts(ANA, 'OK')
  assert.deepEqual(site.answers(), { Ana: 'helps', Ben: 'silent' })
})

test('a bare OK or NO that was sent before the text counts for nothing: the codes are sent again', async () => {
  for (const answer of ['OK', 'NO']) {
    const site = hut()
    // The text left 60 s ago; the answer to an alarm before it was underway for longer.
    await site.texts(ANA, answer, 60 * 1000 + 1)
    assert.deepEqual([site.status(), site.answers()], ['active', { Ana: 'silent', Ben: 'silent' }])
    assert.match(site.replies[0]!, /47/)
    await site.texts(ANA, answer, 60 * 1000)
    assert.notDeepEqual(site.answers(), { Ana: 'silent', Ben: 'silent' })
  }
  const site = hut()
  await site.texts(ANA, 'OK 47', HOUR)
  assert.equal(site.status(), 'acknowledged')
})

test('with two open incidents a bare OK means neither: the codes are sent again, once an hour', async () => {
  const site = hut({ incidents: [FIRST, SECOND] })
  await site.texts(ANA, 'OK')
  await site.texts(ANA, 'OK')
  assert.deepEqual([site.status(), site.status(SECOND)], ['active', 'active'])
  assert.deepEqual(site.replies, [`${ANA}: Please answer with the code of the SOS: OK 12 for Mia, OK 47 for Mia`])
  site.passes(HOUR)
  await site.texts(ANA, 'yes')
  assert.equal(site.replies.length, 2)
  await site.texts(ANA, 'OK 12')
  assert.deepEqual([site.status(), site.status(SECOND)], ['active', 'acknowledged'])
  // The other one is open still, and so is the one that was answered.
  await site.texts(ANA, 'OK')
  assert.equal(site.status(), 'active')
})

// preparing.md#drills.
test('a bare OK never answers an SOS while a drill to that number is open, or until an hour after it ended', async () => {
  const site = hut({ incidents: [FIRST, SECOND], drills: [FIRST] })
  await site.texts(ANA, 'OK')
  assert.deepEqual([site.status(FIRST), site.status(SECOND)], ['active', 'active'])
  site.held.run(FIRST, { type: 'overtake', now: momentAt(60) })
  await site.texts(ANA, 'OK')
  assert.equal(site.status(SECOND), 'active')
  await site.texts(BEN, 'OK 48')
  assert.equal(site.status(SECOND), 'active', 'nor does the code of the drill')
  await site.texts(ANA, 'OK 12')
  assert.equal(site.status(SECOND), 'acknowledged')
})

test('a bare OK answers the only SOS once a drill has been over for an hour', async () => {
  const site = hut({ incidents: [FIRST, SECOND], drills: [FIRST] })
  site.held.run(FIRST, { type: 'overtake', now: momentAt(60) })
  site.passes(HOUR)
  await site.texts(ANA, 'OK')
  assert.equal(site.status(SECOND), 'acknowledged')
})

test('a bare OK answers a drill that is alone', async () => {
  const site = hut({ drills: [FIRST] })
  await site.texts(ANA, 'OK')
  assert.equal(site.status(), 'acknowledged')
})

test('two contacts with one number are two meanings', async () => {
  const site = hut({ contacts: ['Ana'] })
  const { incident } = { incident: site.held.incident(FIRST) }
  const twin = { ...incident.contacts[0]!, contactId: 'contact-Eva', name: 'Eva' }
  const { token: _, acknowledgedAt: __, ...contact } = twin
  site.held.run(FIRST, { type: 'addContact', now: momentAt(1), contact })
  const row = site.held.incident(FIRST).deliveries.find(({ contactId }) => contactId === 'contact-Eva')!
  const both = hutWith(site, { to: ANA, attemptId: row.id, code: '21', sentAt: momentAt(2) })
  await both('OK')
  assert.deepEqual(site.answers(), { Ana: 'silent', Eva: 'silent' })
  await both('OK 21')
  assert.deepEqual(site.answers(), { Ana: 'silent', Eva: 'helps' })
})

test('an incident that is over says so, once an hour and without a name, and changes nothing', async () => {
  const site = hut()
  site.held.run(FIRST, { type: 'resolve', now: momentAt(30) })
  const before = site.held.incident(FIRST)
  for (const text of ['OK 47', 'OK', 'NO 47', 'yes']) await site.texts(ANA, text)
  assert.equal(site.held.incident(FIRST), before)
  assert.deepEqual(site.replies, [`${ANA}: This SOS is already over. In an emergency, call the emergency services.`])
})

test('the code of an SOS that is over is not answered by "over" while another one is open', async () => {
  const site = hut({ incidents: [FIRST, SECOND] })
  site.held.run(FIRST, { type: 'resolve', now: momentAt(30) })
  await site.texts(ANA, 'OK 47')
  assert.equal(site.status(SECOND), 'active')
  assert.deepEqual(site.replies, [`${ANA}: Please answer with the code of the SOS: OK 12 for Mia`])
})

test('delivery reports and notes do not use up what a contact may answer, nor do newer texts hide an older code', async () => {
  const site = hut({ reports: true })
  for (let n = 0; n < 60; n++) await site.texts(ANA, 'Delivered')
  for (let n = 0; n < 60; n++) await site.texts(ANA, 'where are you?')
  const others = Array.from({ length: 60 }, (_, n) => ({ ...site.sent[0]!, to: ANA, code: String(100 + n) }))
  site.sent.unshift(...others)
  await site.texts(ANA, 'OK 47')
  assert.equal(site.answers().Ana, 'helps')
  for (let n = 0; n < 200; n++) await site.texts(BEN, 'Delivered')
  assert.ok(site.receipts.length <= 260)
})

test('the right code always counts, however many wrong ones came before', async () => {
  const site = hut()
  for (let code = 500; code < 525; code++) await site.texts(ANA, `OK ${code}`)
  await site.texts(ANA, 'OK 47')
  assert.equal(site.answers().Ana, 'helps')
})

test('after twenty wrong codes a bare OK does not count for a quarter of an hour, and the person is told the code once', async () => {
  const site = hut()
  for (let code = 500; code < 520; code++) await site.texts(ANA, `OK ${code}`)
  const before = site.replies.length
  await site.texts(ANA, 'OK')
  await site.texts(ANA, 'OK')
  assert.equal(site.status(), 'active')
  assert.deepEqual(site.replies.slice(before), [`${ANA}: Please answer with the code of the SOS: OK 47 for Mia`])
  await site.texts(BEN, 'OK')
  assert.equal(site.answers().Ben, 'helps', 'another number')
  site.passes(15 * MINUTE)
  await site.texts(ANA, 'OK')
  assert.equal(site.answers().Ana, 'helps')
})

// rules.md#watched-answers: anyone who can forge the number can send it.
test('a bare OK is asked again after 5 min, one with the code after 30', async () => {
  const bare = hut()
  await bare.texts(ANA, 'OK')
  const coded = hut()
  await coded.texts(ANA, 'OK 47')
  const minutes = ({ held }: typeof bare) => (held.incident(FIRST).watch!.at - momentAt(60)) / MINUTE
  assert.deepEqual([minutes(bare), minutes(coded)], [5, 30])
})

test('anything else is a note of each open incident, and is never replied to', async () => {
  const site = hut({ incidents: [FIRST, SECOND] })
  await site.texts(ANA, 'I am out of office until Monday')
  assert.deepEqual(site.notes, [
    `${SECOND} Ana: I am out of office until Monday`,
    `${FIRST} Ana: I am out of office until Monday`,
  ])
  assert.deepEqual([site.replies, site.counts], [[], ['note']])
  site.held.run(FIRST, { type: 'resolve', now: momentAt(30) })
  site.held.run(SECOND, { type: 'resolve', now: momentAt(30) })
  await site.texts(ANA, 'I am out of office until Monday')
  assert.equal(site.counts.at(-1), 'dropped')
})

test('a machine that answers every text is replied to a few times an hour, whatever it writes', async () => {
  const site = hut()
  for (let round = 0; round < 100; round++) await site.texts(ANA, ['OK 47', 'NO 47', 'OK', 'yes', '99'][round % 5]!)
  assert.ok(site.replies.length <= 6, `${site.replies.length}`)
  assert.ok(site.counts.filter((count) => count === 'dropped').length >= 30, 'bare words stop being looked at')
})

test('a delivery report is for the oldest text without one', async () => {
  const site = hut({ incidents: [FIRST, SECOND], reports: true })
  await site.texts(ANA, 'Delivered')
  const [oldest] = site.held.incident(FIRST).deliveries
  assert.deepEqual(site.receipts, [
    [oldest!.id, { status: 'delivered', provider: 'modem', providerRef: null, error: null }],
  ])
  const none = hut()
  await none.texts(ANA, 'Delivered')
  assert.deepEqual([none.receipts, none.notes], [[], []])
})

/** The same site, where one more text was sent. */
function hutWith(site: ReturnType<typeof hut>, text: SentText): (answer: string) => Promise<void> {
  site.sent.unshift(text)
  return (answer) => site.texts(text.to, answer)
}

// sms.md#wrong-number.
test('STOP without a code ends the messages of every open incident that texted this number, and of this contact alone', async () => {
  const site = hut({ incidents: [FIRST, SECOND] })
  await site.texts(ANA, 'Stop')
  for (const id of [FIRST, SECOND]) {
    assert.deepEqual(
      site.held.incident(id).contacts.map(({ name, stopped }) => [name, stopped?.how]),
      [
        ['Ana', 'stop'],
        ['Ben', undefined],
      ],
    )
  }
  assert.deepEqual(site.marks, Array(2).fill(`stop contact-Ana ${ANA}`))
  assert.equal(site.replies.length, 2)
  assert.match(
    site.replies[0]!,
    /You will get no more messages about Mia\. A mistake\? Answer START or tap https?:.*\/t\//,
  )
})

test('where nobody could open a link, START is the way back', async () => {
  const site = hut({ publicUrl: 'http://localhost:8080' })
  await site.texts(ANA, 'STOP')
  assert.match(site.replies[0]!, /You will get no more messages about Mia\. A mistake\? Answer START\.$/)
})

test('STOP with a code is for its incident, START takes it back, and a repeat is not answered again', async () => {
  const site = hut({ incidents: [FIRST, SECOND] })
  const stopped = () => [FIRST, SECOND].map((id) => site.held.incident(id).contacts[0]?.stopped?.how)
  await site.texts(ANA, 'STOP 12')
  await site.texts(ANA, 'STOP 12')
  assert.deepEqual(stopped(), [undefined, 'stop'])
  await site.texts(ANA, 'start')
  assert.deepEqual(stopped(), [undefined, undefined])
  assert.equal(site.replies.length, 2)
  assert.match(site.replies[1]!, /You will get messages about Mia's SOS again\./)
  assert.equal(site.marks.at(-1), `start contact-Ana ${ANA}`)
})

test('wrong codes lock neither STOP nor START, and forged STOPs do not lock START', async () => {
  const site = hut()
  for (let n = 0; n < 30; n++) await site.texts(ANA, `OK ${9000 + n}`)
  await site.texts(ANA, 'STOP')
  assert.equal(site.held.incident(FIRST).contacts[0]?.stopped?.how, 'stop')
  for (let n = 0; n < 40; n++) await site.texts(ANA, 'STOP')
  await site.texts(ANA, 'START')
  assert.equal(site.held.incident(FIRST).contacts[0]?.stopped, undefined)
})

test('a STOP after the end changes nothing and is not kept; a START is', async () => {
  const site = hut()
  site.held.run(FIRST, { type: 'resolve', now: momentAt(61), by: 'operator' })
  await site.texts(ANA, 'STOP')
  assert.deepEqual(site.marks, [])
  await site.texts(ANA, 'START')
  assert.deepEqual(site.marks, [`start contact-Ana ${ANA}`])
})
