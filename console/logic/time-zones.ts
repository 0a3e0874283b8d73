import { timeZoneNamed } from '../../src/core/account/time-zone.ts'

/** The time zones that this browser knows. Empty in an old one, where a name can be typed all the same. */
export const timeZones = (): readonly string[] => Intl.supportedValuesOf?.('timeZone') ?? []

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
