import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'

/** Countries that do not share their calling code, by that code with its plus sign. */
const alone = countriesAlone()

function countriesAlone(): ReadonlyMap<string, string> {
  const codes = Map.groupBy(getCountries(), (country) => `+${getCountryCallingCode(country)}`)
  return new Map([...codes].flatMap(([code, [country, another]]) => (country && !another ? [[code, country]] : [])))
}

/** The country of an E.164 number; undefined if several countries share its calling code. */
function countryAlone(phone: string): string | undefined {
  return alone.get(phone.slice(0, 3)) ?? alone.get(phone.slice(0, 4))
}

/** The form in which contacts and users have it. */
const E164 = /^\+[1-9]\d{6,14}$/

/**
 * The ISO 3166-1 country of an E.164 number, or `other`. A metric label that helps to explain a bill; no rule depends
 * on it. Parsing a number takes as long as composing its message, so it is done only if the calling code is shared.
 */
export function countryOf(phone: string): string {
  const country = E164.test(phone) ? countryAlone(phone) : undefined
  if (country !== undefined) return country
  const number = parsePhoneNumberFromString(phone)
  return number?.country ?? number?.getPossibleCountries()[0] ?? 'other'
}

/**
 * Whether the country code of an E.164 number is assigned, that country has numbers of this length, and no zero stands
 * behind the code that is dialled only within the country: the library leaves it out of the number that it reads.
 */
export function isPossibleNumber(phone: string): boolean {
  const read = parsePhoneNumberFromString(phone)
  return read?.isPossible() === true && read.number === phone
}

/** Calling codes that several states share: their digits tell which one it is. */
const SHARED_BY_STATES: readonly string[] = ['+1', '+7']

/**
 * Whether an E.164 number is of this country: by its calling code, and by its digits where states share one.
 * Territories that share a code with their state count as that state.
 */
export function isOfCountry(phone: string, country: string): boolean {
  const code = callingCodeOf(country)
  // A country that nobody knows keeps nobody from being called.
  if (code === null) return true
  if (!phone.startsWith(code)) return false
  if (!SHARED_BY_STATES.includes(code)) return true
  return (parsePhoneNumberFromString(phone)?.country ?? country) === country
}

/** The calling code of an ISO 3166-1 country, such as +43; null: it has none. */
export const callingCodeOf = (country: string): string | null =>
  isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : null
