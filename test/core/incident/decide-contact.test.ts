import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contact } from '../../../src/core/account/contact.ts'
import {
  type ContactOwner,
  decideAddContact,
  decideMarkContact,
  decideRemoveContact,
  decideReorderContacts,
  decideUpdateContact,
} from '../../../src/core/incident/decide-contact.ts'
import { momentAt, OWNER } from '../build.ts'

const THEN = momentAt(-60)
const NOW = momentAt(0)
const phone = '+4366012345678'
const otherPhone = '+4366099999999'
const nothingSaid = { verifiedAt: null, declinedAt: null, stoppedAt: null }

const contact = (name: string, priority: number, changed: Partial<Contact> = {}): Contact => ({
  ...{ id: name.toLowerCase(), userId: OWNER, name, phone, email: null, language: 'de', priority },
  ...{ ...nothingSaid, createdAt: THEN, updatedAt: THEN },
  ...changed,
})
const [ana, ben, cem] = [contact('Ana', 1), contact('Ben', 2), contact('Cem', 3)]
const rules = { language: 'de', allowedPrefixes: ['+43', '+49'] }
const owner = (...contacts: readonly Contact[]): ContactOwner => ({ userId: OWNER, rules, contacts })
const moved = (one: Contact, priority: number): Contact => ({ ...one, priority, updatedAt: NOW })
const planned = ({ id, name, phone, email, language, priority }: Contact) => ({
  ...{ contactId: id, name, phone, email, language, priority },
})

const fields = { name: 'Dia', phone }
const added = { id: 'dia', fields, now: NOW, limit: 10 }
const dia = contact('Dia', 4, { createdAt: NOW, updatedAt: NOW })

for (const [story, given, contacts, insert, update] of [
  ['comes last', added, [ana, ben, cem], dia, []],
  ['is the only one', added, [], { ...dia, priority: 1 }, []],
  [
    'comes first, and all others move',
    { ...added, fields: { ...fields, priority: 1 } },
    [ana, ben],
    { ...dia, priority: 1 },
    [moved(ana, 2), moved(ben, 3)],
  ],
  [
    'comes between, and those behind move',
    { ...added, fields: { ...fields, priority: 2 } },
    [ana, ben],
    { ...dia, priority: 2 },
    [moved(ben, 3)],
  ],
  ['comes last for a place beyond', { ...added, fields: { ...fields, priority: 99 } }, [ana, ben, cem], dia, []],
  [
    'keeps its language and address',
    { ...added, fields: { ...fields, language: 'pt-BR', email: 'd@example.org' } },
    [ana, ben, cem],
    { ...dia, language: 'pt-BR', email: 'd@example.org' },
    [],
  ],
] as const) {
  test(`a new contact ${story}`, () => {
    const tell = { type: 'addContact', now: NOW, contact: planned(insert) }
    assert.deepEqual(decideAddContact(owner(...contacts), given), { insert, update, tell })
  })
}

test('an open incident knows who has added a contact', () => {
  const decided = decideAddContact(owner(), { ...added, bySession: true })
  assert.ok('tell' in decided && decided.tell?.type === 'addContact')
  assert.equal(decided.tell.bySession, true)
})

const abroad = { ...fields, phone: '+12025550123' }
for (const [story, of, given, expected] of [
  ['at the limit', owner(ana, ben), { ...added, limit: 2 }, 'contact_limit'],
  ['at the limit, with any number', owner(ana, ben), { ...added, fields: abroad, limit: 2 }, 'contact_limit'],
  ['with a number that the application does not allow', owner(ana), { ...added, fields: abroad }, 'phone_not_allowed'],
] as const) {
  test(`a contact ${story} is refused`, () => assert.deepEqual(decideAddContact(of, given), { refused: expected }))
}

test('without country prefixes every number is allowed', () => {
  const free = { ...owner(), rules: { ...rules, allowedPrefixes: [] } }
  assert.ok('insert' in decideAddContact(free, { ...added, fields: abroad }))
})

test('nobody has a contact', () => {
  assert.throws(() => decideAddContact({ ...owner(), rules: null }, added), /unknown user/)
})

const said = { verifiedAt: THEN, declinedAt: THEN, stoppedAt: THEN }
for (const [story, before, sent, changed] of [
  ['nothing, but counts', {}, {}, {}],
  ['the name alone, and keeps what they said', said, { name: 'Anna' }, { name: 'Anna' }],
  ['the number, and forgets what its holder said', said, { phone: otherPhone }, { phone: otherPhone, ...nothingSaid }],
  ['the same number, and keeps what they said', said, { phone }, {}],
  ['the address, away', { email: 'ana@example.org' }, { email: null }, {}],
  ['the language, back to the application’s', { language: 'fr' }, { language: null }, { language: 'de' }],
] as const) {
  test(`an update changes ${story}`, () => {
    const known = { ...ana, ...before }
    const updated: Contact = { ...known, ...(sent as Partial<Contact>), ...changed, updatedAt: NOW }
    const decided = decideUpdateContact(owner(known, ben), 'ana', sent, NOW)
    assert.ok('contact' in decided)
    assert.deepEqual([decided.contact, decided.update], [updated, [updated]])
  })
}

test('an update moves a contact to a place, and an open incident hears of it', () => {
  const update = [moved(cem, 1), moved(ana, 2), moved(ben, 3)]
  const tell = { type: 'updateContact', now: NOW, contact: planned(moved(cem, 1)), bySession: true }
  const decided = decideUpdateContact(owner(ana, ben, cem), 'cem', { priority: 1 }, NOW)
  assert.deepEqual(decided, { contact: moved(cem, 1), update, tell })
})

for (const [story, contacts, sent, expected] of [
  ['unknown', [ben], { name: 'Anna' }, 'contact_not_found'],
  ['unknown, whatever the number', [ben], { phone: '+12025550123' }, 'contact_not_found'],
  ['given a number that is not allowed', [ana], { phone: '+12025550123' }, 'phone_not_allowed'],
] as const) {
  test(`an update of a contact who is ${story} is refused`, () =>
    assert.deepEqual(decideUpdateContact(owner(...contacts), 'ana', sent, NOW), { refused: expected }))
}

test('a number that is no longer allowed stays while others of its fields change', () => {
  const before = contact('Ana', 1, { phone: '+12025550123' })
  const decided = decideUpdateContact(owner(before), 'ana', { name: 'Anna' }, NOW)
  assert.ok('contact' in decided && decided.contact.name === 'Anna')
})

test('a removed contact leaves no gap, and an open incident notes it', () => {
  const tell = { type: 'removeContact', now: NOW, contactId: 'ben' }
  const expected = { remove: 'ben', update: [moved(cem, 2)], tell }
  assert.deepEqual(decideRemoveContact(owner(ana, ben, cem), 'ben', NOW), expected)
  assert.deepEqual(decideRemoveContact(owner(ana), 'ben', NOW), { refused: 'contact_not_found' })
})

for (const [order, update] of [
  [
    ['cem', 'ben', 'ana'],
    [moved(ana, 3), moved(cem, 1)],
  ],
  [['ana', 'ben', 'cem'], []],
  [[], null],
  [['ana', 'ben'], null],
  [['ana', 'ben', 'ben'], null],
  [['ana', 'ben', 'cem', 'cem'], null],
  [['ana', 'ben', 'foreign'], null],
  [['ana', 'ben', 'cem', 'foreign'], null],
] as const) {
  test(`reordering as [${order}] ${update === null ? 'is refused' : `moves ${update.length}`}`, () =>
    assert.deepEqual(
      decideReorderContacts(owner(ana, ben, cem), order, NOW),
      update === null ? { refused: 'not_a_reorder' } : { update },
    ))
}

const marked = { ...ana, ...said }
for (const [what, changed] of [
  ['stop', { stoppedAt: NOW }],
  ['stranger', { verifiedAt: null, declinedAt: NOW }],
  ['start', { stoppedAt: null, declinedAt: null }],
] as const) {
  test(`a contact who says ${what} is marked, and does not count as changed`, () => {
    const update = [{ ...marked, ...changed }]
    assert.deepEqual(decideMarkContact(owner(marked, ben), 'ana', { what, phone, now: NOW }), { update })
  })
}

test('a number that is no longer theirs marks nobody', () => {
  assert.deepEqual(decideMarkContact(owner(ana, ben), 'ana', { what: 'stop', phone: otherPhone, now: NOW }), {})
  assert.deepEqual(decideMarkContact(owner(ben), 'ana', { what: 'stop', phone, now: NOW }), {})
})
