import { withoutForeignAccents } from './gsm7.ts'
import type { Language } from './phrases.ts'

/**
 * Locales that name a zone instead of giving an offset: CET, BST; EST, PDT; AEST, NZDT. Always English, because
 * contacts in several countries read and forward the same messages, and because it stays within the SMS alphabet.
 */
const NAMING_LOCALES = ['en-GB', 'en-US', 'en-AU'] as const
const IS_OFFSET = /^GMT[+-]/

/** For month names. British English puts the day first, as the other four languages do. */
const dateLocales = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', it: 'it' } as const satisfies Record<Language, string>

type Fields = Readonly<Record<string, string>>

/** A cache: building a formatter costs a hundred times as much as using it. Bounded by the number of time zones. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(locale: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = [locale, timeZone, ...Object.entries(options)].join()
  const known = formatters.get(key)
  if (known !== undefined) return known
  let made: Intl.DateTimeFormat
  try {
    made = new Intl.DateTimeFormat(locale, { ...options, timeZone })
  } catch {
    // A zone that this runtime does not know must not cost a message. UTC is correct everywhere, and the text names it.
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

/** `CET`, `EDT`; or `GMT+5:30` if the zone has no widely understood name. */
function zoneName(at: number, timeZone: string): string {
  const names = NAMING_LOCALES.map(
    (locale) => fieldsOf(formatter(locale, timeZone, { timeZoneName: 'short' }), at).timeZoneName ?? 'UTC',
  )
  return names.find((name) => !IS_OFFSET.test(name)) ?? names[0]!
}

/**
 * `14:32 CET`, preceded by the date if it is not today in that zone (`27. Feb. 14:32 CET`), with the year if it is not
 * this year. `spoken`: the month in full, `27. Februar`. `timeZone`: IANA; times are epoch milliseconds.
 * rules.md#local-time.
 */
export function localTime(
  at: number,
  {
    now,
    timeZone,
    language,
    spoken = false,
  }: { readonly now: number; readonly timeZone: string; readonly language: Language; readonly spoken?: boolean },
): string {
  const [then, today] = [clockFields(at, timeZone), clockFields(now, timeZone)]
  const time = `${then.hour}:${then.minute} ${zoneName(at, timeZone)}`
  const isSameYear = then.year === today.year
  if (isSameYear && then.month === today.month && then.day === today.day) return time
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: spoken ? 'long' : 'short',
    ...(!isSameYear && { year: 'numeric' }),
  }
  const day = formatter(dateLocales[language], timeZone, options).format(at)
  // The SMS alphabet has no û. The reformed spelling is "aout" anyway. A voice keeps it.
  return `${spoken ? day : withoutForeignAccents(day)} ${time}`
}
