import { isoAt } from '../../../../core/ingest/event-time.ts'
import { localTime } from '../../../../core/text/local-time.ts'
import type { Language } from '../../../../core/text/phrases.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lib/durations.ts'
import { type Html, html } from './html.ts'

const steps = [
  { unit: 'day', ms: DAY, from: 2 * DAY },
  { unit: 'hour', ms: HOUR, from: 2 * HOUR },
  { unit: 'minute', ms: MINUTE, from: MINUTE },
  { unit: 'second', ms: SECOND, from: 0 },
] as const

/** The context of a reader: language, current time and time zone (IANA). */
export type ReaderContext = { readonly language: Language; readonly now: number; readonly timeZone: string }

/** The time from `ms` to `now`, in words. A time in the future counts as now. */
export function ageText(language: Language, ms: number, now: number): string {
  const age = Math.max(0, now - ms)
  const step = steps.find(({ from }) => age >= from) ?? steps[3]
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  return words.format(-Math.floor(age / step.ms), step.unit)
}

/** `3 minutes ago (14:05 CET)`. The script of the page counts on with what stands before the bracket. */
export const moment = (reading: ReaderContext, ms: number): Html =>
  html`<time datetime="${isoAt(ms)}">${ageText(reading.language, ms, reading.now)} (${localTime(ms, reading)})</time>`

/** `3 minutes ago`. */
export const ageOf = ({ language, now }: ReaderContext, ms: number): Html =>
  html`<time datetime="${isoAt(ms)}">${ageText(language, ms, now)}</time>`
