import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/**
 * The last moment, up to `now` (epoch ms), at which it was this time of day in the zone. A time that a clock change
 * skips counts as the moment of the change or within an hour of it. `at`: `03:10`; `timeZone`: IANA.
 */
export function lastMomentAt(at: string, { now, timeZone }: { now: number; timeZone: string }): number {
  const [hour = 0, minute = 0] = at.split(':').map(Number)
  const wanted = hour * HOUR + minute * MINUTE
  const ofDay = (day: number): number => {
    // Local time taken for UTC, then corrected by the offset that holds there; twice: a change may lie between.
    const first = day + wanted - offsetMs(day + wanted, timeZone)
    return day + wanted - offsetMs(first, timeZone)
  }
  const today = Math.floor((now + offsetMs(now, timeZone)) / DAY) * DAY
  return [ofDay(today), ofDay(today - DAY)].find((moment) => moment <= now) ?? ofDay(today - 2 * DAY)
}

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
