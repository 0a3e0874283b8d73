import { z } from 'zod'
import { emergencyNumber, emergencyNumberOf } from '../text/emergency-number.ts'

/** The app in the box of an application. app.md. */
export type WebAppSettings = {
  readonly isOn: boolean
  /** `#rrggbb` */
  readonly colour: string
  /** Null: that of the country. */
  readonly emergencyNumber: string | null
  /** ISO 3166-1 alpha-2; null: unknown. */
  readonly country: string | null
}

export const NO_WEB_APP: WebAppSettings = { isOn: false, colour: '#b3261e', emergencyNumber: null, country: null }

export const colourField = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #b3261e')
  .toLowerCase()
export const emergencyNumberField = z.string().regex(/^\+?[0-9]{2,15}$/, 'must be a number such as 112')
export const countryField = z
  .string()
  .regex(/^[a-z]{2}$/i, 'must be an ISO 3166-1 country code such as AT')
  .toUpperCase()

/** The fields of an application that its app concerns. */
type Changed = {
  readonly webApp: WebAppSettings | null
  readonly allowedPrefixes: readonly string[]
  readonly verifyContacts: boolean
}

/** The changes of an application whose app is changed. `callingCode`: of a country, such as +43; null: it has none. */
export function withWebApp(
  { webApp, language, allowedPrefixes }: Pick<Changed, 'webApp' | 'allowedPrefixes'> & { readonly language: string },
  given: Partial<WebAppSettings>,
  callingCode: (country: string) => string | null,
): Partial<Changed> {
  const before = webApp ?? NO_WEB_APP
  const changed = { ...before, ...given }
  const isFirst = webApp === null && changed.isOn
  const country = changed.country ?? (isFirst ? regionOf(language) : null)
  if (!isFirst) return { webApp: { ...changed, country } }
  // Strangers who stand before a poster add contacts: without these two, any number in the world could be texted.
  const code = country === null ? null : callingCode(country)
  return {
    webApp: { ...changed, country },
    verifyContacts: true,
    ...(allowedPrefixes.length === 0 && code !== null && { allowedPrefixes: [code] }),
  }
}

/** The region in a BCP 47 tag: AT in de-AT. */
const regionOf = (language: string): string | null => new Intl.Locale(language).region ?? null

/**
 * The number that the app shows: the operator's, else that of the country, else that of the time zone. `timeZone`: the
 * application's, or the machine's.
 */
export const shownEmergencyNumber = ({ emergencyNumber: own, country }: WebAppSettings, timeZone: string): string =>
  own ?? (country === null ? emergencyNumber(timeZone) : emergencyNumberOf(country))
