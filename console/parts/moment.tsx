import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { elapsedParts } from '../../src/core/text/elapsed.ts'
import { ageOf, countdown } from '../logic/age.ts'
import { now } from '../state/clock.ts'
import { locale, texts } from '../state/language.ts'

/** A counting text: redrawn when it reads differently, not with each second. `by`: its subject. */
export const useCounting = (text: () => string, by: unknown): string => useMemo(() => computed(text), [by]).value

function age(at: string): string {
  const { count, unit } = ageOf(now.value - Date.parse(at))
  return `${count} ${texts.value.units[unit]}`
}

/** `4 min`, counting. `at`: ISO 8601. */
export function Age({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={moment(at)} class="age">
      {useCounting(() => age(at), at)}
    </time>
  )
}

/** `4 min ago`, as text. */
export const ago = (at: string): string => texts.value.ago(age(at))

/** The same, updating itself: its surroundings are not drawn again. `of`: the words around it. */
export function Ago({ at, of = (said) => said }: { readonly at: string; readonly of?: (age: string) => string }) {
  return <>{of(useCounting(() => ago(at), at))}</>
}

/** `2 h 30 min`. */
export const elapsed = (ms: number): string =>
  elapsedParts(ms)
    .map(({ count, unit }) => `${count} ${texts.value.units[unit]}`)
    .join(' ')

/** It changes at midnight: nothing that says a time is drawn again with each second. */
const today = computed(() => new Date(now.value).toDateString())

/** The time of day, with the date unless it is today. */
export function moment(at: string): string {
  const date = new Date(at)
  return formats.value[today.value === date.toDateString() ? 'time' : 'date'].format(date)
}

/** The time of day to the minute, with the date unless it is today. */
export function hour(at: string): string {
  const date = new Date(at)
  return formats.value[today.value === date.toDateString() ? 'hour' : 'date'].format(date)
}

/** To make one takes longer than everything else about a row. */
const formats = computed(() => ({
  time: new Intl.DateTimeFormat(locale.value, { timeStyle: 'medium', hourCycle: 'h23' }),
  hour: new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', hourCycle: 'h23' }),
  date: new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
}))

export const Moment = ({ at }: { readonly at: string }) => <time dateTime={at}>{moment(at)}</time>

const COUNTED_MS = 2 * 3_600_000

/** To the second, or in hours while it is far away. */
function until(at: string): string {
  const ms = Date.parse(at) - now.value
  const { count, unit } = ageOf(ms)
  return ms < COUNTED_MS ? countdown(ms) : `${count} ${texts.value.units[unit]}`
}

export const Until = ({ at }: { readonly at: string }) => <span class="age">{until(at)}</span>

/** `in 8:59`: without a word before it, that reads as a time of day. */
export function dueIn(at: string): string {
  const { desk } = texts.value
  return (Date.parse(at) <= now.value ? desk.soon('') : desk.in('', until(at))).trim()
}

/** Always with the day: if a clock may be wrong, the date has to be checked. */
export const fullMoment = (at: string): string =>
  new Intl.DateTimeFormat(locale.value, { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' }).format(
    Date.parse(at),
  )
