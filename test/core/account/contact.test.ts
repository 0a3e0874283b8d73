import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactView, insertedAt, isReorderOf } from '../../../src/core/account/contact.ts'
import { contactCreateSchema, contactUpdateSchema } from '../../../src/core/account/contact-schema.ts'
import fc from '../../harness/fast-check.ts'

const contact = { name: 'Ana', phone: '+4366012345678' }

// protocol.md#contacts: a contact needs name (1..200) and phone (E.164); email and language (BCP 47) are
// optional, priority 1 or more.
const accepted: readonly [what: string, fields: object][] = [
  ['name and phone alone', {}],
  ['a name of one character', { name: 'A' }],
  ['a name of 200 characters', { name: 'a'.repeat(200) }],
  ['a name beyond ASCII', { name: 'Анна 🏔' }],
  ['a short phone number', { phone: '+4312345678' }],
  ['a phone number of 15 digits', { phone: '+123456789012345' }],
  ['an email', { email: 'ana@example.org' }],
  ['no email by null', { email: null }],
  ['a language', { language: 'de' }],
  ['a language with a region', { language: 'pt-BR' }],
  ['a language with a script', { language: 'zh-Hant-TW' }],
  ['the first place', { priority: 1 }],
  ['a priority past the end', { priority: 1_000 }],
]
const refused: readonly [what: string, fields: object, field: string][] = [
  ['an empty name', { name: '' }, 'name'],
  ['a blank name', { name: '   ' }, 'name'],
  ['a name of 201 characters', { name: 'a'.repeat(201) }, 'name'],
  ['a name with a lone surrogate', { name: `A${String.fromCharCode(0xd800)}` }, 'name'],
  ['a name with a NUL', { name: 'Ana\0' }, 'name'],
  ['a number as name', { name: 5 }, 'name'],
  ['a null name', { name: null }, 'name'],
  ['a phone number without plus', { phone: '4366012345678' }, 'phone'],
  ['a national phone number', { phone: '066012345678' }, 'phone'],
  ['a phone number with blanks', { phone: '+43 660 12345678' }, 'phone'],
  ['a phone number of 16 digits', { phone: '+1234567890123456' }, 'phone'],
  ['a phone number that begins with 0', { phone: '+066012345678' }, 'phone'],
  ['a phone number with a line break', { phone: '+4366012345678\n' }, 'phone'],
  ['a null phone', { phone: null }, 'phone'],
  ['an email that is only a word', { email: 'ana' }, 'email'],
  ['an email of 255 characters', { email: `${'a'.repeat(243)}@example.org` }, 'email'],
  ['a language of one letter', { language: 'd' }, 'language'],
  ['a language with an underscore', { language: 'pt_BR' }, 'language'],
  ['the name of a language', { language: 'Brazilian Portuguese' }, 'language'],
  ['an empty language', { language: '' }, 'language'],
  ['place 0', { priority: 0 }, 'priority'],
  ['a broken place', { priority: 1.5 }, 'priority'],
  ['a priority as text', { priority: '1' }, 'priority'],
]

for (const [what, fields] of accepted) {
  test(`a contact may have ${what}`, () => {
    assert.deepEqual(contactCreateSchema.parse({ ...contact, ...fields }), { ...contact, ...fields })
    assert.deepEqual(contactUpdateSchema.parse(fields), fields)
  })
}

for (const [what, fields, field] of refused) {
  test(`a contact may not have ${what}`, () => {
    for (const result of [
      contactCreateSchema.safeParse({ ...contact, ...fields }),
      contactUpdateSchema.safeParse(fields),
    ]) {
      assert.deepEqual([...new Set(result.error?.issues.map(({ path }) => path.join('.')))], [field])
    }
  })
}

test('a contact needs a name and a phone; an update needs nothing', () => {
  const issues = contactCreateSchema.safeParse({}).error?.issues
  assert.deepEqual(issues?.map(({ path }) => path.join('.')).sort(), ['name', 'phone'])
  assert.deepEqual(contactUpdateSchema.parse({}), {})
})

test('unknown keys of a contact are dropped', () => {
  assert.deepEqual(contactCreateSchema.parse({ ...contact, id: 'x', userId: 'y', createdAt: 0 }), contact)
})

test('the REST contact has the fields of the specification', () => {
  const stored = {
    ...contact,
    id: 'c1',
    userId: 'u1',
    email: null,
    language: 'de',
    priority: 2,
    verifiedAt: null,
    declinedAt: null,
    stoppedAt: null,
    createdAt: 0,
    updatedAt: 1,
  }
  assert.deepEqual(contactView(stored), {
    ...contact,
    id: 'c1',
    email: null,
    priority: 2,
    language: 'de',
    createdAt: '1970-01-01T00:00:00.000Z',
    updatedAt: '1970-01-01T00:00:00.001Z',
  })
  assert.equal(contactView({ ...stored, verifiedAt: 2 }).verifiedAt, '1970-01-01T00:00:00.002Z')
  assert.equal(contactView({ ...stored, declinedAt: 3 }).declinedAt, '1970-01-01T00:00:00.003Z')
  assert.equal(contactView({ ...stored, stoppedAt: 4 }).stoppedAt, '1970-01-01T00:00:00.004Z')
})

// rules.md#contacts: priority means "insert at this place".
const insertions: readonly [ids: string, id: string, priority: number | null, order: string][] = [
  ['', 'x', null, 'x'],
  ['', 'x', 1, 'x'],
  ['', 'x', 5, 'x'],
  ['abc', 'x', null, 'abcx'],
  ['abc', 'x', 1, 'xabc'],
  ['abc', 'x', 2, 'axbc'],
  ['abc', 'x', 4, 'abcx'],
  ['abc', 'x', 99, 'abcx'],
  ['abc', 'a', 1, 'abc'],
  ['abc', 'a', 2, 'bac'],
  ['abc', 'a', 3, 'bca'],
  ['abc', 'c', 1, 'cab'],
  ['abc', 'b', 99, 'acb'],
]

for (const [ids, id, priority, order] of insertions) {
  test(`${id} at place ${priority ?? 'last'} of [${ids}]: [${order}]`, () => {
    assert.equal(insertedAt([...ids], id, priority).join(''), order)
  })
}

test('inserting keeps every contact once, and the others in order', () => {
  const ids = fc.uniqueArray(fc.nat({ max: 30 }).map(String), { maxLength: 10 })
  fc.assert(
    fc.property(
      ids,
      fc.nat({ max: 30 }).map(String),
      fc.option(fc.integer({ min: 1, max: 15 })),
      (before, id, priority) => {
        const after = insertedAt(before, id, priority)
        assert.equal(new Set(after).size, after.length)
        assert.deepEqual(
          after.filter((each) => each !== id),
          before.filter((each) => each !== id),
        )
        if (priority !== null) assert.equal(after.indexOf(id), Math.min(priority, after.length) - 1)
      },
    ),
  )
})

// protocol.md#rest: every contact id exactly once.
const reorders: readonly [order: string, ids: string, right: boolean][] = [
  ['', '', true],
  ['abc', 'abc', true],
  ['cab', 'abc', true],
  ['ab', 'abc', false],
  ['abcd', 'abc', false],
  ['aab', 'abc', false],
  ['abca', 'abc', false],
  ['abx', 'abc', false],
  ['', 'abc', false],
  ['a', '', false],
]

for (const [order, ids, right] of reorders) {
  test(`[${order}] is ${right ? 'a' : 'no'} reorder of [${ids}]`, () => {
    assert.equal(isReorderOf([...order], [...ids]), right)
  })
}
