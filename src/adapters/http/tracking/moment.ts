import { DAY, HOUR, isoAt, MINUTE, SECOND } from '../../../core/event-time.ts'
import { type Html, html } from './html.ts'

const steps = [
  { unit: 'day', ms: DAY, from: 2 * DAY },
  { unit: 'hour', ms: HOUR, from: 2 * HOUR },
  { unit: 'minute', ms: MINUTE, from: MINUTE },
  { unit: 'second', ms: SECOND, from: 0 },
] as const

/** How long ago `ms` was at `now`, in words. A clock that runs ahead counts as now. */
export function ageText(locale: string, ms: number, now: number): string {
  const age = Math.max(0, now - ms)
  const step = steps.find(({ from }) => age >= from) ?? steps[3]
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return words.format(-Math.floor(age / step.ms), step.unit)
}

/** The time of day in UTC, which is said; with the date where that is another one than today's. */
export function timeText(locale: string, ms: number, now: number): string {
  const sameDay = Math.floor(ms / DAY) === Math.floor(now / DAY)
  const date = sameDay ? {} : ({ day: 'numeric', month: 'short', year: 'numeric' } as const)
  const time = { hour: '2-digit', minute: '2-digit', hour12: false } as const
  return `${new Intl.DateTimeFormat(locale, { ...date, ...time, timeZone: 'UTC' }).format(ms)} UTC`
}

/** `3 minutes ago (14:05 UTC)`. */
export const moment = (locale: string, ms: number, now: number): Html =>
  html`<time datetime="${isoAt(ms)}">${ageText(locale, ms, now)} (${timeText(locale, ms, now)})</time>`
