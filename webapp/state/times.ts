import { computed } from '@preact/signals'
import { language } from './language.ts'

/** The language of the screen with the region of this browser. */
const locale = computed(() => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value)

/** `12:04:07`. */
export const clockTime = (moment: string | number): string =>
  new Intl.DateTimeFormat(locale.value, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(
    new Date(moment),
  )

/** `18:00`, with the day unless it is today. */
export function shortTime(moment: string | number): string {
  const date = new Date(moment)
  const isToday = date.toDateString() === new Date().toDateString()
  return new Intl.DateTimeFormat(locale.value, {
    ...(!isToday && { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(date)
}
