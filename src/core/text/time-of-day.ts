import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/** `at`: `03:10`. */
function sinceMidnightMs(at: string): number {
  const [hour = 0, minute = 0] = at.split(':').map(Number)
  return hour * HOUR + minute * MINUTE
}

/**
 * The moment at which it is this time of day in the zone, on a day given as the days since 1970-01-01. A time that a
 * clock change skips counts as the moment of the change or within an hour of it; one that comes twice counts once.
 * `at`: `03:10`; `timeZone`: IANA.
 */
export function momentOn(day: number, at: string, timeZone: string): number {
  // Local time taken for UTC, then corrected by the offset that holds there; twice: a change may lie between.
  const wanted = day * DAY + sinceMidnightMs(at)
  const first = wanted - offsetMs(wanted, timeZone)
  return wanted - offsetMs(first, timeZone)
}

/** The day in the zone, as the days since 1970-01-01. */
const dayAt = (now: number, timeZone: string): number => Math.floor((now + offsetMs(now, timeZone)) / DAY)

/**
 * The day of the last moment, up to `now` (epoch ms), at which it was this time of day in the zone. `at`: `03:10`;
 * `timeZone`: IANA.
 */
export function lastDayWith(at: string, { now, timeZone }: { now: number; timeZone: string }): number {
  const today = dayAt(now, timeZone)
  // Where a clock change skips midnight, what it skips of the next day counts within the hour before: of this day.
  return [today + 1, today, today - 1].find((day) => momentOn(day, at, timeZone) <= now) ?? today - 2
}

/** The last moment, up to `now` (epoch ms), at which it was this time of day in the zone. As `momentOn`. */
export const lastMomentAt = (at: string, when: { now: number; timeZone: string }): number =>
  momentOn(lastDayWith(at, when), at, when.timeZone)

/** The one last used: building it takes longer than using it, and it is asked every minute. */
let known: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | null = null

function formatOf(timeZone: string): Intl.DateTimeFormat {
  if (known?.timeZone === timeZone) return known.format
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  known = { timeZone, format }
  return format
}

/** How far local time is ahead of UTC. */
function offsetMs(at: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return local - Math.floor(at / 1000) * 1000
}
