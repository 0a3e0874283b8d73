import { countryCodes } from '../../src/core/account/country-codes.ts'
import type { Choice } from './choice.ts'

/** The name of a country in a language, by its code. */
export function countryNames(locale: string): (code: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  return (code) => names.of(code) ?? code
}

/** All countries by their names in a language, in its order. */
export function countries(locale: string): readonly Choice[] {
  const { compare } = new Intl.Collator(locale)
  const nameOf = countryNames(locale)
  return countryCodes.map((code) => ({ code, name: nameOf(code) })).sort((a, b) => compare(a.name, b.name))
}
