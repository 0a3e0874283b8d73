import { z } from 'zod'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/** devices.md#silence. A shorter period would report devices that are merely between two reports. */
const MIN_MINUTES = 15
const MAX_MINUTES = (30 * DAY) / MINUTE

/** Minutes without a report after which a device counts as silent; 0 is off. */
export const silentAfterMinutesField = z
  .int()
  .refine(
    (minutes) => minutes === 0 || (minutes >= MIN_MINUTES && minutes <= MAX_MINUTES),
    'must be 0 (off), or from 15 minutes to 30 days',
  )

const UNIT_MINUTES = { m: 1, h: HOUR / MINUTE, d: DAY / MINUTE } as const

/** The same setting as people write it: `90m`, `6h`, `2d`, `off`. */
export const silentAfterField = z.string().transform((text, context) => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const minutes = text === 'off' ? 0 : count && Number(count) * UNIT_MINUTES[unit as keyof typeof UNIT_MINUTES]
  const read = silentAfterMinutesField.safeParse(minutes)
  if (read.success && (text === 'off' || read.data > 0)) return read.data
  context.addIssue({ code: 'custom', message: 'must be off, or from 15m to 30d, such as 90m, 6h or 2d' })
  return z.NEVER
})

/** The setting as people write it. */
export function silentAfterText(minutes: number): string {
  if (minutes === 0) return 'off'
  if (minutes % UNIT_MINUTES.d === 0) return `${minutes / UNIT_MINUTES.d}d`
  return minutes % UNIT_MINUTES.h === 0 ? `${minutes / UNIT_MINUTES.h}h` : `${minutes}m`
}

/** Times are epoch ms. `silentAfterMinutes`: 0 if the device is not watched. */
export type Heard = {
  readonly heardAt: number
  /** When it was last heard before it fell silent; null if it is not silent. */
  readonly silentSince: number | null
  readonly silentAfterMinutes: number
}

/**
 * The time a device was last heard if it is silent at `now`, else null. `listeningSince`: since when the service has
 * been able to hear it without a gap. Silence is counted from there at the earliest, so that neither an outage nor a
 * changed clock makes a device silent. devices.md#silence.
 */
export function silentSinceOf(
  { heardAt, silentSince, silentAfterMinutes }: Heard,
  { now, listeningSince }: { readonly now: number; readonly listeningSince: number },
): number | null {
  if (silentAfterMinutes === 0) return null
  const from = silentSince === heardAt ? heardAt : Math.max(heardAt, listeningSince)
  return now - from >= silentAfterMinutes * MINUTE ? heardAt : null
}
