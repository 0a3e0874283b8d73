/** The time for which a device may be silent, as typed. */
export const units = { min: 1, h: 60, d: 24 * 60 } as const
export type Unit = keyof typeof units
export type Interval = { readonly count: number; readonly unit: Unit }

const MIN_MINUTES = 15
const MAX_MINUTES = 30 * units.d

/** In the largest unit in which it is whole. `minutes`: more than 0. */
export function intervalOf(minutes: number): Interval {
  const unit = minutes % units.d === 0 ? 'd' : minutes % units.h === 0 ? 'h' : 'min'
  return { count: minutes / units[unit], unit }
}

/** Null for values that the service refuses (docs/reference/devices.md#silence). */
export function minutesOf(count: string, unit: Unit): number | null {
  if (!/^\d{1,5}$/.test(count.trim())) return null
  const minutes = Number(count) * units[unit]
  return minutes >= MIN_MINUTES && minutes <= MAX_MINUTES ? minutes : null
}
