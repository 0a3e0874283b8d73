import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * The ISO 3166-1 country of an E.164 number, or `other`. A metric label that helps to explain a bill; no rule depends
 * on it.
 */
export function countryOf(phone: string): string {
  const number = parsePhoneNumberFromString(phone)
  return number?.country ?? number?.getPossibleCountries()[0] ?? 'other'
}
