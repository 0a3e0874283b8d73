import { DAY, HOUR, MINUTE, SECOND } from '../lib/durations.ts'

const two = (value: number): string => String(value).padStart(2, '0')

/** `2026-07-04 13:00:05` by this machine's clock. */
export function localTimestamp(ms: number): string {
  const at = new Date(ms)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** This machine's offset from UTC at that moment: `UTC+2`, `UTC-3:30`. */
export function localOffset(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
}

const units = [
  { name: 'd', ms: DAY },
  { name: 'h', ms: HOUR },
  { name: 'min', ms: MINUTE },
  { name: 's', ms: SECOND },
] as const

/** A duration in its two largest units: `3 d 4 h`, `12 min`, `40 s`. */
export function duration(ms: number): string {
  const first = units.findIndex((unit) => ms >= unit.ms)
  if (first < 0) return '0 s'
  const { name, ms: size } = units[first]!
  const next = units[first + 1]
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next.ms)
  // Seconds next to minutes would change at every look and help nobody.
  const more = next === undefined || next.name === 's' || rest === 0 ? '' : ` ${rest} ${next.name}`
  return `${Math.floor(ms / size)} ${name}${more}`
}
