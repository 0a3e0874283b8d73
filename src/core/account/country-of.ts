import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * The ISO 3166-1 country of an E.164 number, or `other`: a metric's label, so that a bill can be explained.
 * No rule depends on it.
 */
export function countryOf(phone: string): string {
  const number = parsePhoneNumberFromString(phone)
  return number?.country ?? number?.getPossibleCountries()[0] ?? 'other'
}
