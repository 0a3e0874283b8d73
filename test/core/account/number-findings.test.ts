import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfCountry, isPossibleNumber } from '../../../src/adapters/platform/system/phone-numbers.ts'
import { contactWarnings, profileWarnings } from '../../../src/core/account/number-findings.ts'

const isPossible = (phone: string) => !phone.startsWith('+999')
const ana = { id: 'a', phone: '+436641111111' }
const ben = { id: 'b', phone: '+436642222222' }
const nowhere = { id: 'c', phone: '+9991234567' }
const codes = (warnings: readonly { readonly code: string; readonly field: string }[]) =>
  warnings.map(({ code, field }) => `${field}: ${code}`)

// protocol.md#contacts.
const contacts: readonly [name: string, warned: readonly string[], found: readonly string[]][] = [
  ['two contacts', codes(contactWarnings(ana, { own: null, contacts: [ana, ben] }, isPossible)), []],
  [
    'the number of the profile',
    codes(contactWarnings(ana, { own: ana.phone, contacts: [ana] }, isPossible)),
    ['phone: number_is_own'],
  ],
  [
    'the number of another contact',
    codes(contactWarnings(ana, { own: null, contacts: [{ ...ben, phone: ana.phone }, ana] }, isPossible)),
    ['phone: number_twice'],
  ],
  [
    'all of it',
    codes(contactWarnings(nowhere, { own: nowhere.phone, contacts: [{ ...nowhere, id: 'd' }] }, isPossible)),
    ['phone: number_implausible', 'phone: number_is_own', 'phone: number_twice'],
  ],
  ['a profile without a number', codes(profileWarnings(null, [ana], isPossible)), []],
  ["a profile with a contact's number", codes(profileWarnings(ana.phone, [ana], isPossible)), ['phone: number_is_own']],
  ['a profile of nowhere', codes(profileWarnings(nowhere.phone, [], isPossible)), ['phone: number_implausible']],
]
for (const [name, warned, found] of contacts) {
  test(`warnings: ${name}`, () => assert.deepEqual(warned, found))
}

// Of the lists of the ITU and of each country.
for (const [phone, possible] of [
  ['+436641111111', true],
  ['+390612345678', true],
  ['+12025550123', true],
  ['+883510001234567', true],
  ['+8816123456789', true],
  ['+870773123456', true],
  ['+4366', false],
  ['+1911', false],
  ['+1202555012345', false],
  ['+999123456', false],
  ['+2101234567', false],
  ['+4306641111111', false],
  ['+4402079460018', false],
] as const) {
  test(`${phone} ${possible ? 'is a number' : 'cannot be one'}`, () => assert.equal(isPossibleNumber(phone), possible))
}

const ofCountries: readonly (readonly [phone: string, country: string, is: boolean])[] = [
  ['+436601110010', 'AT', true],
  ['+4915123456789', 'AT', false],
  // States that share a code: a call to the Caribbean costs what people do not expect.
  ['+12125551234', 'US', true],
  ['+18765551234', 'US', false],
  ['+16135551234', 'CA', true],
  ['+77011234567', 'RU', false],
  ['+19999999999', 'US', true],
  // A territory is no foreign country to its state.
  ['+447781123456', 'GB', true],
  ['+3581812345', 'FI', true],
  ['+436601110010', 'XX', true],
]
for (const [phone, country, is] of ofCountries)
  test(`${phone} is ${is ? '' : 'not '}of ${country}`, () => assert.equal(isOfCountry(phone, country), is))
