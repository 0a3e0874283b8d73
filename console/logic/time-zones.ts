import { countryCodes } from '../../src/core/account/country-codes.ts'
import { timeZoneNamed, writtenCities } from '../../src/core/account/time-zone.ts'
import { type Choice, named } from './choice.ts'
import { countryNames } from './countries.ts'

type Region = Intl.Locale & { getTimeZones?: () => readonly string[]; readonly timeZones?: readonly string[] }

/** The zones of a country. Empty in a browser that does not know. */
function zonesOf(country: string): readonly string[] {
  const region: Region = new Intl.Locale('und', { region: country })
  return region.getTimeZones?.() ?? region.timeZones ?? []
}

/** `America/Argentina/Buenos_Aires` is `Buenos Aires`: places have no names in other languages here. */
const placeOf = (zone: string): string => zone.split('/').at(-1)!.replaceAll('_', ' ')

/**
 * The time zones that this browser knows, as `Austria – Vienna`, by countries in the order of a language. Empty in an
 * old one, where a name can be typed all the same.
 */
export function timeZones(locale: string): readonly Choice[] {
  const countryOf = new Map(countryCodes.flatMap((code) => zonesOf(code).map((zone) => [zone, code] as const)))
  const { compare } = new Intl.Collator(locale)
  const nameOf = countryNames(locale)
  return (Intl.supportedValuesOf?.('timeZone') ?? [])
    .map((code): Choice => {
      const country = countryOf.get(code)
      const area = country === undefined ? code.split('/')[0]! : nameOf(country)
      const written = Object.entries(writtenCities).filter(([, city]) => code === `Europe/${city}`)
      const also = written.map(([city]) => city).join(' ')
      return { code, name: code.includes('/') ? `${area} – ${placeOf(code)}` : code, also }
    })
    .sort((a, b) => compare(a.name, b.name))
}

/** A zone as the list of them has it: `Austria – Vienna`. */
export const zoneName = (zone: string, locale: string): string => named(timeZones(locale), zone)?.name ?? zone

/** The time in a zone as people write it (`Europe/Wien`), for a moment in epoch ms; null if it is not a zone. */
export function timeIn(typed: string, now: number, locale: string): string | null {
  const timeZone = timeZoneNamed(typed)
  // `DateTimeFormat` also accepts offsets such as +02:00, which are no zones.
  if (!/^[A-Za-z]/.test(timeZone)) return null
  try {
    return new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short', hourCycle: 'h23' }).format(now)
  } catch {
    return null
  }
}
