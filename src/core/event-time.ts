/** Length units in milliseconds, for settings that are given in seconds, minutes or hours. */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** An instant with the precision that trackers send: epoch milliseconds, the nanoseconds within that millisecond, and the text as sent. */
export type EventTime = {
  readonly text: string
  readonly ms: number
  /** 0 to 999,999. Digits beyond the nanosecond are kept in `text` only. */
  readonly nanos: number
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,32}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/**
 * Parses an RFC 3339 date-time (zone required, any number of fraction digits, leap seconds allowed) and keeps it as sent.
 * Returns null for anything else, dates that do not exist included. Spec, SOS ingest payload.
 */
export function parseEventTime(text: string): EventTime | null {
  const match = RFC3339.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const fraction = (match[7] ?? '').padEnd(9, '0')
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, so the year is set apart.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * MINUTE
  const ms = midnight + hour * HOUR + minute * MINUTE + second * SECOND + Number(fraction.slice(0, 3)) - offset
  return { text, ms, nanos: Number(fraction.slice(3, 9)) }
}

/** The event time of something that counts as having happened when it arrived. `ms`: epoch milliseconds. */
export const eventTimeAt = (ms: number): EventTime => ({ text: isoAt(ms), ms, nanos: 0 })

/** Epoch milliseconds as ISO 8601 in UTC. */
export const isoAt = (ms: number): string => new Date(ms).toISOString()

/** `isoAt` for a moment that may not have come yet. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoAt(ms))

/** Negative when `a` is earlier than `b`, positive when later, 0 for the same nanosecond. */
export const compareEventTimes = (a: EventTime, b: EventTime): number => a.ms - b.ms || a.nanos - b.nanos
