import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { countryOf } from '../../../src/adapters/platform/system/phone-numbers.ts'
import { allowedPrefixesSchema } from '../../../src/core/account/application.ts'
import { isAllowedDestination } from '../../../src/core/account/contact.ts'

const countries = [
  ['+436601234567', 'AT'],
  ['+4915112345678', 'DE'],
  ['+420601123456', 'CZ'],
  ['+35312345678', 'IE'],
  ['+12025550123', 'US'],
  ['+14165550123', 'CA'],
  ['+18765550123', 'JM'],
  ['+79161234567', 'RU'],
  ['+77011234567', 'KZ'],
  ['+390612345678', 'IT'],
  ['+262692123456', 'RE'],
  ['+8816123456789', 'other'],
  ['+99912345678', 'other'],
] as const

for (const [phone, country] of countries) {
  test(`${phone} is a number of ${country}`, () => assert.equal(countryOf(phone), country))
}

test('a country that has its calling code to itself is told without parsing the number, and is what parsing finds', () => {
  const codes = new Set(getCountries().map((country) => getCountryCallingCode(country)))
  for (const code of codes) {
    for (const rest of ['2345678', '60123456789', '9876543']) {
      const phone = `+${code}${rest}`
      const number = parsePhoneNumberFromString(phone)
      assert.equal(countryOf(phone), number?.country ?? number?.getPossibleCountries()[0] ?? 'other', phone)
    }
  }
})

test('numbers may begin with any of the prefixes, or with anything if there are none', () => {
  assert.equal(isAllowedDestination('+436601', ['+43', '+49']), true)
  assert.equal(isAllowedDestination('+497301', ['+43', '+49']), true)
  assert.equal(isAllowedDestination('+420601', ['+43', '+49']), false)
  assert.equal(isAllowedDestination('+420601', []), true)
})

for (const prefixes of [['43'], ['+0'], ['+'], ['+43 1'], ['any', '+43'], [''], []]) {
  test(`${JSON.stringify(prefixes)} are not valid prefixes`, () =>
    assert.equal(allowedPrefixesSchema.safeParse(prefixes).success, false))
}
