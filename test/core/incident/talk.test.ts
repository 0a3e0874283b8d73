import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideSay,
  type Say,
  SENDER_LIMIT,
  TALK_LIMIT,
  type TalkSituation,
} from '../../../src/core/incident/decide-talk.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import {
  contactTalkLine,
  isUnconfirmed,
  type KnownContact,
  linesFor,
  type TalkLine,
  talkReaders,
} from '../../../src/core/incident/talk.ts'
import { talkKeyField, talkText, talkTextField } from '../../../src/core/incident/talk-schema.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'
import { alertAt, contactCalled, momentAt, pressed, type Story, type Timeless } from '../build.ts'

const calm = { contacts: ['Ana', 'Ben'], settings: { voice: false, rounds: 1, persistHours: 0 } }
const idOf = (name: string): string => `contact-${name}`

/** The person's contacts as stored, all of them confirmed. */
const confirmed = (sos: Story): readonly KnownContact[] =>
  sos.incident.contacts.map(({ contactId: id, phone }) => ({ id, phone, verifiedAt: 1 }))
const comes = (name: string): Timeless => ({
  type: 'acknowledge',
  contactId: idOf(name),
  promise: { kind: 'coming', etaMinutes: 10 },
})
const readers = (sos: Story, known = confirmed(sos)): readonly string[] =>
  talkReaders(sos.incident, known).map(({ name, isNow }) => `${name}${isNow ? '' : ' once helping'}`)

suite('who reads what the person writes', () => {
  test('confirmed contacts: now where they are coming or calling, else once they are', () => {
    const sos = pressed(calm)
    sos.runTo(15)
    assert.deepEqual(readers(sos), ['Ana once helping', 'Ben once helping'])
    sos.does(20, comes('Ana'))
    assert.deepEqual(readers(sos), ['Ana', 'Ben once helping'])
    sos.does(30, { type: 'acknowledge', contactId: idOf('Ben'), promise: { kind: 'calling' } })
    assert.deepEqual(readers(sos), ['Ana', 'Ben'])
    sos.does(120, { type: 'decline', contactId: idOf('Ana') })
    assert.deepEqual(readers(sos), ['Ana once helping', 'Ben'])
  })

  test('not by a bare answer: a key in a call, or an OK that may be forged', () => {
    const sos = pressed(calm)
    sos.acknowledges(15, 'Ana')
    assert.deepEqual(readers(sos), ['Ana once helping', 'Ben once helping'])
  })

  const [ana, ben] = ['Ana', 'Ben'].map((name, place) => contactCalled(name, place))
  for (const [who, known] of [
    ['nobody unconfirmed', [{ id: ana!.contactId, phone: ana!.phone, verifiedAt: null }]],
    ['nobody who confirmed with another number', [{ id: ana!.contactId, phone: '+436609', verifiedAt: 1 }]],
    ['nobody who is no contact any more', [{ id: 'contact-Old', phone: ben!.phone, verifiedAt: 1 }]],
  ] as const) {
    test(who, () => {
      const sos = pressed(calm)
      sos.does(20, comes('Ana'))
      assert.deepEqual(readers(sos, known), [])
    })
  }

  test('nobody who was removed, has stopped messages or does not know the person', () => {
    for (const change of [
      { type: 'removeContact', contactId: idOf('Ana') },
      { type: 'stop', contactId: idOf('Ana'), how: 'stop' },
      { type: 'stop', contactId: idOf('Ana'), how: 'stranger' },
    ] as const) {
      const sos = pressed(calm)
      sos.does(20, comes('Ana'))
      sos.does(30, change)
      assert.ok(!readers(sos).includes('Ana'), change.type)
    }
  })

  test('nobody whom the own session added during the alarm, until somebody shows them the position', () => {
    const sos = pressed(calm)
    sos.does(15, { type: 'addContact', bySession: true, contact: contactCalled('Mallory', 7) })
    sos.does(20, comes('Mallory'))
    assert.deepEqual(readers(sos), ['Ana once helping', 'Ben once helping'])
    sos.does(30, { type: 'showPosition', contactId: idOf('Mallory'), by: idOf('Ana') })
    assert.deepEqual(readers(sos), ['Ana once helping', 'Ben once helping', 'Mallory'])
  })

  test('nobody after the end, in a drill, or where only another user has raised it', () => {
    const over = pressed(calm)
    over.does(20, comes('Ana'))
    over.cancels(30)
    assert.deepEqual(readers(over), [])
    const sos = pressed(calm)
    const known = confirmed(sos)
    const drill: Incident = { ...sos.incident, drill: { toContacts: false } }
    const relayed: Incident = { ...sos.incident, raisedByOthers: { deviceId: 'TRK-1', at: null } }
    for (const incident of [drill, relayed]) assert.deepEqual(talkReaders(incident, known), [])
  })
})

const line = (more: Partial<Say> = {}): Say => ({
  now: momentAt(60),
  from: { side: 'person', channel: 'app', senderId: '', name: 'Mia', phone: null },
  key: 'key-12345',
  text: 'Hello',
  quickReply: null,
  to: null,
  isDeskStaffed: false,
  ...more,
})
const byContact = (name: string) =>
  ({ side: 'contact', channel: 'page', senderId: idOf(name), name, phone: '+43' }) as const
const byOperator = { side: 'operator', channel: 'console', senderId: 'op-1', name: 'Eva', phone: null } as const

const about = (sos: Story | null, more: Partial<TalkSituation> = {}): TalkSituation => ({
  incident: sos?.incident ?? null,
  contacts: sos === null ? [] : confirmed(sos),
  known: null,
  sideTimes: [],
  senderTimes: [],
  personToDesk: null,
  isSpokenTo: false,
  ...more,
})
const refusedFor = (situation: TalkSituation, say: Say): string | null => {
  const decided = decideSay(situation, say)
  return 'refused' in decided ? decided.refused : null
}
/** The readers of the stored line; `desk`: only the desk. */
const storedFor = (situation: TalkSituation, say: Say): string => {
  const decided = decideSay(situation, say)
  if (!('line' in decided)) throw new Error(`not stored: ${JSON.stringify(decided)}`)
  return decided.line.toDesk ? 'desk' : decided.line.readers.join()
}
const silently = () => {
  const sos = pressed(calm)
  sos.presses(5, { alert: alertAt(5, { silent: true }) })
  assert.equal(sos.incident.silent, true)
  sos.does(20, comes('Ana'))
  return sos
}
const helped = () => {
  const sos = pressed(calm)
  sos.does(20, comes('Ana'))
  return sos
}
const ALL = [idOf('Ana'), idOf('Ben')].join()

suite('who may write', () => {
  test('the person and operators while it is open; a contact who reads', () => {
    const sos = helped()
    assert.equal(refusedFor(about(sos), line()), null)
    assert.equal(refusedFor(about(sos), line({ from: byOperator })), null)
    assert.equal(refusedFor(about(sos), line({ from: byContact('Ana') })), null)
    assert.equal(refusedFor(about(sos), line({ from: byContact('Ben') })), 'not_a_reader')
    assert.equal(refusedFor(about(sos), line({ from: byContact('Nobody') })), 'not_a_reader')
    sos.resolves(30)
    for (const from of [line().from, byOperator, byContact('Ana')]) {
      assert.equal(refusedFor(about(sos), line({ from })), 'incident_closed')
    }
    assert.equal(refusedFor(about(null), line()), 'incident_not_found')
  })

  test('nobody where only another user has raised it: the person may not know of it', () => {
    const sos = helped()
    const incident: Incident = { ...sos.incident, raisedByOthers: { deviceId: 'TRK-1', at: null } }
    for (const from of [line().from, byOperator, byContact('Ana')]) {
      assert.equal(refusedFor(about(sos, { incident }), line({ from })), 'no_talk')
    }
  })

  test('in a silent alarm, contacts only after the person has written something that they may read', () => {
    const sos = silently()
    assert.equal(refusedFor(about(sos), line({ from: byContact('Ana') })), 'person_first')
    assert.equal(refusedFor(about(sos, { isSpokenTo: true }), line({ from: byContact('Ana') })), null)
    assert.equal(refusedFor(about(sos), line({ from: byOperator })), null)
  })

  test('60 an hour a side, and 30 a contact, with the wait until the next one', () => {
    const sos = helped()
    const now = momentAt(60)
    const times = (count: number, agoMs: number) => Array.from({ length: count }, (_, n) => now - agoMs + n)
    const full = about(sos, { sideTimes: times(TALK_LIMIT.times, MINUTE) })
    assert.deepEqual(decideSay(full, line()), { refused: 'too_many_messages', retryAfterMs: HOUR - MINUTE })
    assert.equal(refusedFor(about(sos, { sideTimes: times(59, MINUTE) }), line()), null)
    assert.equal(refusedFor(about(sos, { sideTimes: times(60, HOUR) }), line()), null)
    const ofOne = about(sos, { senderTimes: times(SENDER_LIMIT.times, MINUTE) })
    assert.equal(refusedFor(ofOne, line({ from: byContact('Ana') })), 'too_many_messages')
    assert.equal(refusedFor(ofOne, line()), null)
  })

  test('a retry gets the line that is there, also after the end and beyond the limit', () => {
    const sos = helped()
    const known = { ...line().from, n: 7, at: 1, key: 'key-12345', text: 'Hello' } as TalkLine
    sos.cancels(40)
    const sideTimes = Array.from({ length: 60 }, () => momentAt(59))
    assert.deepEqual(decideSay(about(sos, { known, sideTimes }), line()), { known })
  })
})

suite('for whom a line is', () => {
  for (const [what, situation, say, expected] of [
    ['a person’s: operators and those named', () => about(helped()), line(), ALL],
    ['a person’s for the desk', () => about(helped()), line({ to: 'desk' }), 'desk'],
    ['in a silent alarm with a staffed desk: the desk', () => about(silently()), line({ isDeskStaffed: true }), 'desk'],
    ['unless the person says so', () => about(silently()), line({ isDeskStaffed: true, to: 'all' }), ALL],
    ['in a silent alarm without one: all', () => about(silently()), line(), ALL],
    [
      'an operator’s: as the person’s newest',
      () => about(helped(), { personToDesk: true }),
      line({ from: byOperator }),
      'desk',
    ],
    ['an operator’s to all', () => about(helped(), { personToDesk: false }), line({ from: byOperator }), ALL],
    ['an operator’s before the person has written', () => about(helped()), line({ from: byOperator }), ALL],
    ['the same in a silent alarm', () => about(silently()), line({ from: byOperator }), 'desk'],
    ['an operator’s as said', () => about(silently()), line({ from: byOperator, to: 'all' }), ALL],
    ['a contact’s: all', () => about(helped(), { personToDesk: true }), line({ from: byContact('Ana') }), ALL],
  ] as const) {
    test(what, () => assert.equal(storedFor(situation(), say), expected))
  }

  test('a contact sees only what was written for them, and their own', () => {
    const one = (n: number, more: Partial<TalkLine>): TalkLine => ({
      ...line().from,
      ...{ n, at: 1, key: 'k', text: 'x', quickReply: null, toDesk: false, readers: [] },
      ...more,
    })
    const lines = [
      one(1, { readers: [idOf('Ben')] }),
      one(2, { toDesk: true }),
      one(3, { readers: [idOf('Ana'), idOf('Ben')] }),
      one(4, { ...byContact('Ana') }),
      one(5, { ...byContact('Ben') }),
    ]
    assert.deepEqual(
      linesFor(idOf('Ana'), lines).map(({ n }) => n),
      [3, 4],
    )
    const [, own] = linesFor(idOf('Ana'), lines)
    const asBen = (silent: boolean) => contactTalkLine(own!, { contactId: idOf('Ben'), silent })
    assert.deepEqual([asBen(false).name, asBen(true).name], ['Ana', ''])
  })
})

test('a line in which the person says that they are well says that nobody else has confirmed it', () => {
  const said = (text: string, from: Say['from'] = line().from): boolean =>
    isUnconfirmed({ ...from, n: 1, at: 1, key: 'k', text, quickReply: null, toDesk: false, readers: [] })
  for (const text of [
    "I'm fine",
    'im fine!!',
    'Don’t come, I’m OK',
    'MIR GEHT ES GUT.',
    'Ça va',
    'Estoy bien',
    'Sto bene',
  ]) {
    assert.ok(said(text), text)
  }
  for (const text of ["I'm not fine", 'fine gravel here', 'No', 'Es geht mir nicht gut']) assert.ok(!said(text), text)
  assert.ok(!said("I'm fine", byOperator))
})

test('texts are 1 to 500 characters as readers count them, and keys are harmless', () => {
  const ok = (text: string): boolean => talkTextField.safeParse(text).success
  for (const text of ['x', '😀'.repeat(500), ` ${'x'.repeat(500)} `, 'two\nlines']) assert.ok(ok(text), text)
  for (const text of ['', '  ', '\u202e\u200b', 'x'.repeat(501), '😀'.repeat(501), '\ud800', 'x'.repeat(100_000)]) {
    assert.ok(!ok(text), text.slice(0, 10))
  }
  assert.equal(talkText(' a\u202eb\r\n\nOperator: c\u0000 '), 'ab Operator: c')
  for (const key of ['12345678', 'b3f1c2d4-5e6f-4000-8000-000000000000']) assert.ok(talkKeyField.safeParse(key).success)
  for (const key of ['short', '12345678 ', '', 'x'.repeat(65)]) assert.ok(!talkKeyField.safeParse(key).success, key)
})

test('no line changes an incident: what decides on lines returns none', () => {
  const sos = helped()
  const before = JSON.stringify(sos.incident)
  for (const from of [line().from, byOperator, byContact('Ana')])
    decideSay(about(sos), line({ from, text: 'resolved' }))
  assert.equal(JSON.stringify(sos.incident), before)
})
