/** Country codes of those from which numbers are often written without one, and whether a leading 0 is left out. */
const COUNTRIES: Readonly<Record<string, readonly [code: string, dropsZero: boolean]>> = {
  AT: ['43', true],
  BE: ['32', true],
  CH: ['41', true],
  CZ: ['420', false],
  DE: ['49', true],
  DK: ['45', false],
  ES: ['34', false],
  FI: ['358', true],
  FR: ['33', true],
  GB: ['44', true],
  HR: ['385', true],
  HU: ['36', false],
  IE: ['353', true],
  IT: ['39', false],
  LI: ['423', false],
  LU: ['352', false],
  NL: ['31', true],
  NO: ['47', false],
  PL: ['48', false],
  PT: ['351', false],
  SE: ['46', true],
  SI: ['386', true],
  SK: ['421', true],
}

/** The country code that a number begins with if none is written, for a hint. Null: the country is not listed. */
export const codeOf = (country: string | null): string | null => {
  const known = country === null ? undefined : COUNTRIES[country.toUpperCase()]
  return known === undefined ? null : `+${known[0]}`
}

/** Whether a number in E.164 is one of another country than this; false where that cannot be told. */
export const isAbroad = (number: string, country: string | null): boolean => {
  const code = codeOf(country)
  return code !== null && !number.startsWith(code)
}

/**
 * A number as people write it, in E.164: `0664 123 45 67` in Austria is `+436641234567`. Null: it is none, or its
 * country cannot be told. The service judges the rest.
 */
export function numberIn(text: string, country: string | null): string | null {
  const digits = text.replace(/\(0\)/g, '').replace(/[\s().\-/\u00a0]/g, '')
  const given = digits.replace(/^00/, '+')
  if (/^\+[1-9]\d{6,14}$/.test(given)) return given
  const known = country === null ? undefined : COUNTRIES[country.toUpperCase()]
  if (known === undefined || !/^\d{5,14}$/.test(digits)) return null
  const [code, dropsZero] = known
  return `+${code}${dropsZero ? digits.replace(/^0/, '') : digits}`
}
