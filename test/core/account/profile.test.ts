import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayName, profileView } from '../../../src/core/account/profile.ts'
import { profileUpdateSchema } from '../../../src/core/account/profile-schema.ts'
import { userWith } from '../build.ts'

const email254 = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(59)}.example`

// protocol.md#profile: name 1..200, email up to 254, phone E.164, address up to 500; null clears a field.
const accepted: readonly [what: string, update: object][] = [
  ['nothing', {}],
  ['a name of 1', { name: 'A' }],
  ['a name of 200', { name: 'a'.repeat(200) }],
  ['an email', { email: 'ana@example.org' }],
  ['an email of 254', { email: email254 }],
  ['a phone', { phone: '+4366012345678' }],
  ['an address of 500', { address: 'a'.repeat(500) }],
  ['an address of several lines', { address: 'Hut 1\nMountain Road' }],
  ['nulls', { name: null, email: null, phone: null, address: null }],
]
const refused: readonly [what: string, update: object, field: string][] = [
  ['an empty name', { name: '' }, 'name'],
  ['a name of 201', { name: 'a'.repeat(201) }, 'name'],
  ['a name with a lone surrogate', { name: String.fromCharCode(0xdc00) }, 'name'],
  ['a name with a NUL', { name: 'Ana\0' }, 'name'],
  ['an address with a NUL', { address: '\0' }, 'address'],
  ['a number as name', { name: 1 }, 'name'],
  ['an email without a domain', { email: 'ana@' }, 'email'],
  ['two emails', { email: 'ana@example.org, ben@example.org' }, 'email'],
  ['an email of 255', { email: `${email254}e` }, 'email'],
  ['a phone without plus', { phone: '066012345678' }, 'phone'],
  ['a phone number in words', { phone: '+43-660-CALL-ME' }, 'phone'],
  ['an address of 501', { address: 'a'.repeat(501) }, 'address'],
  ['a list as address', { address: [] }, 'address'],
]

for (const [what, update] of accepted) {
  test(`a profile update takes ${what}`, () => {
    assert.deepEqual(profileUpdateSchema.parse(update), update)
  })
}

for (const [what, update, field] of refused) {
  test(`a profile update refuses ${what}`, () => {
    const issues = profileUpdateSchema.safeParse(update).error?.issues
    assert.deepEqual([...new Set(issues?.map(({ path }) => path.join('.')))], [field])
  })
}

test('every bad field of a profile is reported at once', () => {
  const bad = { name: '', email: 'x', phone: 'x', address: 1 }
  const issues = profileUpdateSchema.safeParse(bad).error?.issues ?? []
  assert.deepEqual([...new Set(issues.map(({ path }) => path.join('.')))].sort(), ['address', 'email', 'name', 'phone'])
})

test('keys that are not updatable are ignored', () => {
  const update = { id: 'x', appId: 'y', externalUserId: 'z', disabled: true, name: 'Ana' }
  assert.deepEqual(profileUpdateSchema.parse(update), { name: 'Ana' })
})

const user = userWith({ id: 'u1', appId: 'a1' })

test('the profile shows the fields of the specification, unset ones as null', () => {
  const {
    disabled: _,
    relay: ____,
    enrolledBy: _____,
    erasesAt: ______,
    textLanguage: _______,
    operatorNotes: ________,
    groupNames: _________,
    createdAt: __,
    updatedAt: ___,
    ...shown
  } = user
  assert.deepEqual(profileView(user), shown)
})

test("messages name the profile's name, else its phone number, else the external id", () => {
  assert.equal(displayName({ ...user, name: null, phone: null }), 'hut-1')
  assert.equal(displayName({ ...user, name: null, phone: '+43660111' }), '+43660111')
  assert.equal(displayName({ ...user, name: 'Ana', phone: '+43660111' }), 'Ana')
  assert.equal(displayName({ ...user, name: 'Exercise Ana', phone: null }), 'Exercise Ana', 'as it is stored')
})

test('a name of which messages would show nothing counts as missing', () => {
  const blank = [
    '',
    ' ',
    '\u200b',
    '\u200b\u2060\ufeff',
    '\u200d',
    '\u3164',
    '\uffa0',
    '\u2800',
    '\u202e',
    'EXERCISE',
    'Übung:',
  ]
  for (const name of blank) {
    assert.equal(displayName({ ...user, name, phone: null }), 'hut-1', JSON.stringify(name))
    assert.equal(displayName({ ...user, name, phone: '+43660111' }), '+43660111', JSON.stringify(name))
  }
})
