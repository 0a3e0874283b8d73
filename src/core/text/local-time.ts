import { withoutForeignAccents } from './gsm7.ts'
import type { Language } from './phrases.ts'

/**
 * Locales whose data has a name for a zone rather than an offset: CET, BST; EST, PDT; AEST, NZDT. English throughout,
 * since contacts in several countries read and forward the same messages, and since it keeps to the SMS alphabet.
 */
const NAMING_LOCALES = ['en-GB', 'en-US', 'en-AU'] as const
const IS_OFFSET = /^GMT[+-]/

/** Month names; British English puts the day first, as the other four languages do. */
const dateLocales = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', it: 'it' } as const satisfies Record<Language, string>

type Fields = Readonly<Record<string, string>>

/** Building a formatter costs a hundred times as much as using it. Bounded by the time zones that exist. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(locale: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = [locale, timeZone, ...Object.entries(options)].join()
  const known = formatters.get(key)
  if (known !== undefined) return known
  let made: Intl.DateTimeFormat
  try {
    made = new Intl.DateTimeFormat(locale, { ...options, timeZone })
  } catch {
    // A zone that this runtime does not know costs no message: UTC is right everywhere, and is named.
    made = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  }
  formatters.set(key, made)
  return made
}

const fieldsOf = (format: Intl.DateTimeFormat, at: number): Fields =>
  Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))

const CLOCK = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
const clockFields = (at: number, timeZone: string): Fields =>
  fieldsOf(formatter('en-GB', timeZone, { ...CLOCK, hourCycle: 'h23' }), at)

/** `CET`, `EDT`; `GMT+5:30` where no name is in use that everyone would understand. */
function zoneName(at: number, timeZone: string): string {
  const names = NAMING_LOCALES.map(
    (locale) => fieldsOf(formatter(locale, timeZone, { timeZoneName: 'short' }), at).timeZoneName ?? 'UTC',
  )
  return names.find((name) => !IS_OFFSET.test(name)) ?? names[0]!
}

/**
 * `14:32 CET`, with the day before it where that is not today's in that zone, and with the year where that is another
 * one: `27. Feb. 14:32 CET`. `timeZone`: IANA; times are epoch milliseconds. rules.md#local-time.
 */
export function localTime(
  at: number,
  { now, timeZone, language }: { readonly now: number; readonly timeZone: string; readonly language: Language },
): string {
  const [then, today] = [clockFields(at, timeZone), clockFields(now, timeZone)]
  const time = `${then.hour}:${then.minute} ${zoneName(at, timeZone)}`
  const isSameYear = then.year === today.year
  if (isSameYear && then.month === today.month && then.day === today.day) return time
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'short',
    ...(!isSameYear && { year: 'numeric' }),
  }
  // An SMS has no û: without it, aout is what the reformed spelling writes.
  return `${withoutForeignAccents(formatter(dateLocales[language], timeZone, options).format(at))} ${time}`
}
