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
  /** How many of these in turn found it unchanged: neither clear nor pressed nor moved. Absent: none. */
  readonly unchanged?: number
  /** Where the tracker was at the last change. Absent: unknown. */
  readonly place?: FlagPlace
  /** The tracker has moved since. */
  readonly hasMoved?: true
}

/** In degrees. */
export type FlagPlace = { readonly latitude: number; readonly longitude: number }

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

/** After this many unchanged ones in turn, a further one tells few. */
const MAX_UNCHANGED = 3
/** Further than a receiver errs that lies still. */
const MOVED_M = 200
const METRES_A_DEGREE = 111_320

/** Whether the tracker has moved since its flag was raised. A place where none was known counts: when in doubt. */
function isMoved({ place, hasMoved }: SosFlag, now: FlagPlace | null): boolean {
  if (hasMoved) return true
  if (now === null) return false
  if (place === undefined) return true
  const north = now.latitude - place.latitude
  const turn = Math.abs(now.longitude - place.longitude)
  const east = Math.min(turn, 360 - turn) * Math.cos((now.latitude * Math.PI) / 180)
  return Math.hypot(north, east) * METRES_A_DEGREE > MOVED_M
}

/** Whether a flag that is raised again at `place` most likely tells of nobody: it tells few. rules.md#flags. */
export const tellsFew = (flag: SosFlag, place: FlagPlace | null): boolean =>
  !isMoved(flag, place) && (flag.unchanged ?? 0) >= MAX_UNCHANGED

/** The flag after a report that leaves it set and raises nothing. */
export const heldFlag = (flag: SosFlag, now: number, place: FlagPlace | null): SosFlag => ({
  ...flag,
  heardAt: now,
  ...(flag.place !== undefined && isMoved(flag, place) && { hasMoved: true }),
})

/** The flag after a report that raised an alarm in this incident. `before`: the flag that was judged. */
export function raisedFlag(
  meaning: 'press' | 'stuck',
  before: SosFlag | null,
  raised: {
    readonly now: number
    readonly press: string | null
    readonly incidentId: string
    readonly place?: FlagPlace | null
  },
): SosFlag {
  const { now, place: newest = null, ...press } = raised
  const flag = { ...press, heardAt: now }
  if (meaning === 'press' || before === null) return { ...flag, since: now, ...(newest && { place: newest }) }
  const moved = isMoved(before, newest)
  // The place of the last change: one that creeps has moved in the end.
  const known = moved ? (newest ?? before.place) : before.place
  return {
    ...flag,
    since: before.since ?? before.heardAt,
    repeats: (before.repeats ?? 0) + 1,
    unchanged: moved ? 0 : (before.unchanged ?? 0) + 1,
    ...(known && { place: known }),
  }
}

const isWithin = (now: number, earlier: number, distanceMs: number): boolean => Math.abs(now - earlier) < distanceMs
