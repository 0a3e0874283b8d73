import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedCell } from '../../../src/core/account/changed-cell.ts'
import { peopleLines, planContacts } from '../../../src/core/account/people-lines.ts'
import { readCsv } from '../../../src/lib/csv.ts'

const read = (text: string) => peopleLines(readCsv(text))

// people.md#csv.
test('columns stand in any order; an empty cell says nothing; numbers are read as people write them', () => {
  const { good, bad } = read(
    'Phone,externaluserid,name,groups,contact1Name,contact1Phone\n0043 660 (123) 45-67, mia-7 ,,"Wardens; Night",Ana,+43660/5550001\n,,,,,\n,tom,,,,\n',
  )
  assert.deepEqual(bad, [])
  const contact = { name: 'Ana', phone: '+436605550001', column: 'contact1' }
  assert.deepEqual(good, [
    {
      ...{ line: 2, externalUserId: 'mia-7', contacts: [contact] },
      fields: { phone: '+436601234567', groups: ['Wardens', 'Night'] },
    },
    { line: 4, externalUserId: 'tom', fields: {}, contacts: [] },
  ])
})

test('a zero that is dialled only within the country is none of the number', () => {
  const cases = [
    ['+43 (0)660 123-45 67', '+436601234567'],
    ['0043 (0) 660/1234567', '+436601234567'],
    ['+49\u00a0(0)\u2011171\u20131234567', '+491711234567'],
    ["'+44 (0)20 7946 0018", '+442079460018'],
    ['+39 (0)471 123456', '+390471123456'],
    ['+39 0471 123456', '+390471123456'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['\u202a+436601234567\u202c', '+436601234567'],
  ] as const
  for (const [phone, number] of cases) {
    assert.equal(read(`externalUserId,phone\nmia,${phone}`).good[0]?.fields.phone, number, phone)
  }
})

test('what is wrong is said by line and column', () => {
  const cases: readonly [text: string, bad: readonly (readonly [number, string | null, string])[]][] = [
    ['', [[1, 'externalUserId', 'is required']]],
    ['externalUserId,colour', [[1, 'colour', 'is not a known column']]],
    [','.repeat(60), [[1, null, 'has 61 fields instead of 48']]],
    ['externalUserId,name,NAME', [[1, 'name', 'stands twice']]],
    ['externalUserId,name\na', [[2, null, 'has 1 fields instead of 2']]],
    ['externalUserId\na\na', [[3, 'externalUserId', 'repeats the one in line 2']]],
    ['externalUserId,name\n,Mia', [[2, 'externalUserId', 'must have 1 to 128 characters and no control characters']]],
    [
      'externalUserId,phone,contact2Name\na,0660,Ana',
      [
        [2, 'phone', 'must be an E.164 number such as +4366012345678'],
        [2, 'contact2Phone', 'must be an E.164 number such as +4366012345678'],
      ],
    ],
    [
      'externalUserId,contact1Name,contact1Phone,contact2Name,contact2Phone\na,Ana,+43660555,Ben,+43 660 555',
      [[2, 'contact2Phone', 'is the number of another contact, too']],
    ],
    ['externalUserId,name\n"a,b', [[2, null, 'has an unclosed quote, or a quote that is not doubled']]],
  ]
  for (const [text, bad] of cases) {
    assert.deepEqual(
      read(text).bad.map(({ line, field, message }) => [line, field, message]),
      bad,
      text,
    )
  }
})

test('contacts are known by their number; none is removed, and limits are said before anything is written', () => {
  const said = { verifiedAt: null, declinedAt: null, stoppedAt: null, createdAt: 0, updatedAt: 0 }
  const named = {
    id: 'c1',
    userId: 'u1',
    name: 'Ana',
    phone: '+436605550001',
    email: null,
    language: 'de',
    priority: 1,
  }
  const ana = { ...named, ...said }
  const rules = { allowedPrefixes: ['+43'], limit: 2 }
  const line = (...contacts: readonly (readonly [string, string])[]) => ({
    line: 2,
    contacts: contacts.map(([name, phone], n) => ({ name, phone, column: `contact${n + 1}` })),
  })
  assert.deepEqual(planContacts(line(['Ana', ana.phone]), [ana], rules), { addContacts: [], changeContacts: [] })
  assert.deepEqual(planContacts(line(['Anna', ana.phone], ['Ben', '+436605550002']), [ana], rules), {
    addContacts: [{ name: 'Ben', phone: '+436605550002' }],
    changeContacts: [{ contactId: ana.id, column: 'contact1', update: { name: 'Anna' } }],
  })
  const refused = (...contacts: readonly (readonly [string, string])[]) => {
    const planned = planContacts(line(...contacts), [ana], rules)
    return 'bad' in planned ? planned.bad.map(({ field, message }) => `${field} ${message}`) : []
  }
  assert.deepEqual(refused(['Ben', '+49151555']), [
    'contact1Phone has a country prefix that this application is not allowed to send to',
  ])
  assert.deepEqual(refused(['Ben', '+436605550002'], ['Cem', '+436605550003']), [
    'contact2Name is one contact too many: 2 at most',
  ])
})

test('a changed cell shows old and new, and of long texts the part that differs', () => {
  const long = 'x'.repeat(1990)
  const cells: readonly [
    old: string | readonly string[] | null,
    given: string | readonly string[],
    string | null,
    string,
  ][] = [
    ['+436601', '+436602', '+436601', '+436602'],
    [null, 'Mia', null, 'Mia'],
    [[], ['Wardens'], null, 'Wardens'],
    [['Wardens', 'Night'], ['Wardens'], 'Wardens, Night', 'Wardens'],
    [`${long} A`, `${long} B`, `…${'x'.repeat(19)} A`, `…${'x'.repeat(19)} B`],
    ['a', long, 'a', `${'x'.repeat(120)}…`],
    [`${long}🏔`, long, `…${'x'.repeat(20)}🏔`, `…${'x'.repeat(20)}`],
  ]
  for (const [old, given, before, after] of cells)
    assert.deepEqual(changedCell('notes', old, given), { column: 'notes', old: before, new: after })
})
