import { MINUTE } from '../../lib/durations.ts'

/**
 * A flag that has not been reported for this long is forgotten, and one still set this long after its incident closed
 * alarms again. rules.md#flags.
 */
const FLAG_MS = 15 * MINUTE
/** The distance doubles with each incident that a flag opens without ever having been clear, up to this. */
const LONGEST_HELD_MS = 60 * MINUTE

/** What is kept of a tracker's SOS flag: bounded, one a paired device. Times are arrivals, epoch ms. */
export type SosFlag = {
  /** When the tracker was last heard with the flag set. */
  readonly heardAt: number
  /** The number that the tracker gives each press; null if it gives none. */
  readonly press: string | null
  /** The incident that the press opened or joined. */
  readonly incidentId: string
  /** When this flag was first heard set. Absent in older records. */
  readonly since?: number
  /** How often it was raised again without having been clear or unheard. Absent: never. */
  readonly repeats?: number
}

/**
 * What one report says of the flag. `set`: null if it says nothing, as a report on the battery alone. `press`: the
 * tracker's own number of the press, null if it has none.
 */
export type FlagReading = { readonly set: boolean | null; readonly press: string | null }

/**
 * What a report means: `press` raises an alarm; `stuck` raises one, too, for a flag that was never clear since its last
 * incident; `held` belongs to the press before it; `clear` forgets that press; `silent` leaves it as it was.
 */
export type FlagMeaning = 'press' | 'stuck' | 'held' | 'clear' | 'silent'

/** When the press's incident closed: epoch ms, null while it is open. `unknown`: the incident is gone. */
export type PressClosing = number | null | 'unknown'

/** How long after closing a flag that is still set is held before it is raised again, in ms. rules.md#flags. */
export const heldMs = (repeats: number): number => Math.min(LONGEST_HELD_MS, FLAG_MS * 2 ** Math.min(repeats, 8))

/**
 * Judges a report that arrived at `now`. When in doubt it is an alarm: a distance in time that cannot be, in either
 * direction, comes from a clock that was set, and silences nobody. rules.md#flags.
 */
export function meaningOf(
  flag: SosFlag | null,
  { set, press }: FlagReading,
  closing: PressClosing,
  now: number,
): FlagMeaning {
  if (set === null) return 'silent'
  if (!set) return 'clear'
  if (flag === null || press !== flag.press || !isWithin(now, flag.heardAt, FLAG_MS)) return 'press'
  if (closing === null) return 'held'
  return closing !== 'unknown' && isWithin(now, closing, heldMs(flag.repeats ?? 0)) ? 'held' : 'stuck'
}

/** The flag after a report that raised an alarm in this incident. `before`: the flag that was judged. */
export function raisedFlag(
  meaning: 'press' | 'stuck',
  before: SosFlag | null,
  raised: { readonly now: number; readonly press: string | null; readonly incidentId: string },
): SosFlag {
  const { now, ...press } = raised
  if (meaning === 'press' || before === null) return { ...press, heardAt: now, since: now }
  return { ...press, heardAt: now, since: before.since ?? before.heardAt, repeats: (before.repeats ?? 0) + 1 }
}

const isWithin = (now: number, earlier: number, distanceMs: number): boolean => Math.abs(now - earlier) < distanceMs
