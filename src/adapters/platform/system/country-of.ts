import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
/** Loaded with the first number, if not before (service/warm-up.ts): a start does not wait for it. */
const library = (): typeof import('libphonenumber-js/min') => require('libphonenumber-js/min')

/**
 * The ISO 3166-1 country of an E.164 number, or `other`. A metric label that helps to explain a bill; no rule depends
 * on it.
 */
export function countryOf(phone: string): string {
  const number = library().parsePhoneNumberFromString(phone)
  return number?.country ?? number?.getPossibleCountries()[0] ?? 'other'
}
