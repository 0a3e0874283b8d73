import { DAY, HOUR, MINUTE, SECOND } from '../../lib/durations.ts'

/**
 * An instant with the precision that trackers send: epoch milliseconds, the nanoseconds within that millisecond, and
 * the original text.
 */
export type EventTime = {
  readonly text: string
  readonly ms: number
  /** 0 to 999,999. Only `text` keeps digits beyond the nanosecond. */
  readonly nanos: number
}

/** How far ahead of its arrival an event time may be before the arrival is used instead. rules.md#event-time. */
export const CLOCK_TOLERANCE_MS = 5 * MINUTE

const DAYS_BEFORE_1970 = 719_468
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (monthDays[month - 1] ?? 0))

/**
 * Days since 1970-01-01 of a date in the proleptic Gregorian calendar. The year is counted from March, so that the leap
 * day comes last.
 */
function epochDay(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  return marchYear * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970
}

const ZERO = 0x30

/** The digits of `text` from `from` to `to` as a number; NaN if anything else is among them. */
function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** End of `2026-01-01T12:00:00`, after which a fraction or the zone follows. */
const SECONDS_END = 19
const MAX_FRACTION_DIGITS = 32
const powersOfTen = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent)
const HYPHEN = 0x2d
const COLON = 0x3a

/** Whether the date-time part has its separators in the right places. */
const isDateTime = (text: string): boolean =>
  text.charCodeAt(4) === HYPHEN &&
  text.charCodeAt(7) === HYPHEN &&
  (text[10] === 'T' || text[10] === 't') &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON

/**
 * Parses an RFC 3339 date-time (zone required, any number of fraction digits, leap seconds allowed) and keeps the
 * original text. Returns null for anything else, including dates that do not exist. Every message passes through here,
 * so it allocates nothing but the result. protocol.md#payload.
 */
export function parseEventTime(text: string): EventTime | null {
  if (!isDateTime(text)) return null
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  const hour = digits(text, 11, 13)
  const minute = digits(text, 14, 16)
  const second = digits(text, 17, SECONDS_END)
  // Written so that NaN fails too.
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return null
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return null
  const zoneAt = text[SECONDS_END] === '.' ? fractionEnd(text) : SECONDS_END
  const offset = offsetMs(text, zoneAt)
  const nanoseconds = fractionNanos(text, zoneAt)
  if (offset === null || nanoseconds === null) return null
  const millis = Math.floor(nanoseconds / 1e6)
  const ms = epochDay(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second * SECOND + millis - offset
  return { text, ms, nanos: nanoseconds - millis * 1e6 }
}

/** The end of the digits after the decimal point. */
function fractionEnd(text: string): number {
  let at = SECONDS_END + 1
  while (digits(text, at, at + 1) >= 0) at++
  return at
}

/** Nanoseconds within the second; 0 without a fraction. Null for a decimal point without digits, or with too many. */
function fractionNanos(text: string, zoneAt: number): number | null {
  if (zoneAt === SECONDS_END) return 0
  const count = zoneAt - SECONDS_END - 1
  if (count < 1 || count > MAX_FRACTION_DIGITS) return null
  const used = Math.min(count, 9)
  return digits(text, SECONDS_END + 1, SECONDS_END + 1 + used) * powersOfTen[9 - used]!
}

/** The zone at the end of `text`, in milliseconds ahead of UTC. Null if there is none. */
function offsetMs(text: string, at: number): number | null {
  const sign = text[at]
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : null
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return null
  const [hours, minutes] = [digits(text, at + 1, at + 3), digits(text, at + 4, at + 6)]
  if (!(hours <= 23 && minutes <= 59)) return null
  return (sign === '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE)
}

/** The event time of something that counts as having happened on arrival. `ms`: epoch milliseconds. */
export const eventTimeAt = (ms: number): EventTime => ({ text: isoAt(ms), ms, nanos: 0 })

const padded = (count: number, width: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(n).padStart(width, '0'))
const sixties = padded(60, 2)
const thousands = padded(1_000, 3)
/** The latest moment that `Date` can represent. */
const LAST_MOMENT = 100_000_000 * DAY
/** The last day formatted: its first moment and its text up to the `T`. Most moments fall on the same day. */
let lastDay = { ms: Number.NaN, text: '' }

/**
 * Epoch milliseconds as ISO 8601 in UTC, six times as fast as `Date.prototype.toISOString`: every snapshot contains a
 * dozen of them. Throws a RangeError for an invalid time.
 */
export function isoAt(ms: number): string {
  const moment = Math.trunc(ms)
  const day = Math.floor(moment / DAY) * DAY
  if (day !== lastDay.ms || moment > LAST_MOMENT) {
    lastDay = { ms: day, text: new Date(moment).toISOString().slice(0, -'12:00:00.000Z'.length) }
  }
  const inDay = moment - day
  const second = Math.floor(inDay / SECOND)
  const minute = Math.floor(second / 60)
  const hour = Math.floor(minute / 60)
  const time = `${sixties[hour]}:${sixties[minute - hour * 60]}:${sixties[second - minute * 60]}`
  return `${lastDay.text}${time}.${thousands[inDay - second * SECOND]}Z`
}

/** `isoAt` for a moment that may not have come yet; null stays null. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoAt(ms))

/** Negative if `a` is earlier than `b`, positive if later, 0 for the same nanosecond. */
export const compareEventTimes = (a: Omit<EventTime, 'text'>, b: Omit<EventTime, 'text'>): number =>
  a.ms - b.ms || a.nanos - b.nanos

/** Up to this delay a press counts as on time: few phones have the exact time. */
export const LATE_MS = 2 * MINUTE

/**
 * The time of a press and its delay in ms; `lateMs` null: on time. A device with a fast clock cannot have pressed after
 * the arrival. rules.md#event-time.
 */
export function pressAt(
  occurredAt: number,
  arrivedAt: number,
): { readonly pressedAt: number; readonly lateMs: number | null } {
  const pressedAt = Math.min(occurredAt, arrivedAt)
  const delay = arrivedAt - pressedAt
  return { pressedAt, lateMs: delay > LATE_MS ? delay : null }
}
