import { MINUTE } from '../../lib/durations.ts'

/**
 * A flag that nobody has heard for this long is forgotten, and one still set this long after its incident closed is a
 * new press. rules.md#flags.
 */
const FLAG_MS = 15 * MINUTE

/** What is kept of a tracker's SOS flag: bounded, one a paired device. Times are arrivals, epoch ms. */
export type SosFlag = {
  /** When the tracker was last heard with the flag set. */
  readonly heardAt: number
  /** The number that the tracker gives each press; null if it gives none. */
  readonly press: string | null
  /** The incident that the press opened or joined. */
  readonly incidentId: string
}

/**
 * What one report says of the flag. `set`: null if it says nothing, as a report on the battery alone. `press`: the
 * tracker's own number of the press, null if it has none.
 */
export type FlagReading = { readonly set: boolean | null; readonly press: string | null }

/**
 * What a report means: `press` raises an alarm; `held` belongs to the press before it; `clear` forgets that press;
 * `silent` says nothing of it.
 */
export type FlagMeaning = 'press' | 'held' | 'clear' | 'silent'

/** When the press's incident closed: epoch ms, null while it is open. `unknown`: the incident is gone. */
export type PressClosing = number | null | 'unknown'

/**
 * Judges a report that arrived at `now`. When in doubt it is a press: a distance in time that cannot be, in either
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
  if (flag === null || press !== flag.press || !isWithin(now, flag.heardAt)) return 'press'
  if (closing === null) return 'held'
  return closing !== 'unknown' && isWithin(now, closing) ? 'held' : 'press'
}

const isWithin = (now: number, earlier: number): boolean => Math.abs(now - earlier) < FLAG_MS
