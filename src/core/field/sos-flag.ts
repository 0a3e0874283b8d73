import { MINUTE } from '../../lib/durations.ts'

/**
 * A flag not reported for this long is forgotten. One still set this long after its incident closed raises another
 * alarm. devices.md#flags.
 */
const FLAG_MS = 15 * MINUTE
/** The wait doubles with each incident that a flag opens without having been clear in between, up to this. */
const MAX_RAISE_AGAIN_MS = 60 * MINUTE

/** The stored state of a tracker's SOS flag: bounded, one per paired device. Times are arrivals, epoch ms. */
export type SosFlag = {
  /** When the tracker was last heard with the flag set. */
  readonly heardAt: number
  /** The tracker's own number of the press; null if it gives none. */
  readonly press: string | null
  /** The incident that the press opened or joined. */
  readonly incidentId: string
  /** When this flag was first heard set. Absent in older records. */
  readonly since?: number
  /** How often it was raised again without having been clear or unheard in between. Absent: never. */
  readonly repeats?: number
  /** The number of consecutive repeats that found it unchanged: neither clear nor pressed nor moved. Absent: none. */
  readonly unchanged?: number
  /** The tracker's position at the last change. Absent: unknown. */
  readonly place?: FlagPlace
  /** Whether the tracker has moved since. */
  readonly hasMoved?: true
}

/** In degrees. */
export type FlagPlace = { readonly latitude: number; readonly longitude: number }

/**
 * The flag in one report. `set`: null if the report does not mention the flag, such as one with only a battery level.
 * `press`: the tracker's own number of the press, null if it has none.
 */
export type FlagReading = { readonly set: boolean | null; readonly press: string | null }

/**
 * The meaning of a report: `press` raises an alarm; `stuck` raises one, too, for a flag that has not been clear since
 * its last incident; `same_press` belongs to the previous press; `clear` forgets that press; `unmentioned` leaves
 * the flag as it was.
 */
export type FlagMeaning = 'press' | 'stuck' | 'same_press' | 'clear' | 'unmentioned'

/** When the press's incident closed: epoch ms, null while it is open. `unknown`: the incident is gone. */
export type PressClosing = number | null | 'unknown'

/**
 * How long after its incident closed a flag that stays set is raised again, in ms. devices.md#flags.
 */
export const raiseAgainMs = (repeats: number): number =>
  Math.min(MAX_RAISE_AGAIN_MS, FLAG_MS * 2 ** Math.min(repeats, 8))

/**
 * Judges a report that arrived at `now`. When in doubt, it is an alarm: an impossible distance in time, in either
 * direction, comes from a changed clock and must not silence anyone. devices.md#flags.
 */
export function meaningOf(
  flag: SosFlag | null,
  { set, press }: FlagReading,
  closing: PressClosing,
  now: number,
): FlagMeaning {
  if (set === null) return 'unmentioned'
  if (!set) return 'clear'
  if (flag === null || press !== flag.press || !isWithin(now, flag.heardAt, FLAG_MS)) return 'press'
  if (closing === null) return 'same_press'
  return closing !== 'unknown' && isWithin(now, closing, raiseAgainMs(flag.repeats ?? 0)) ? 'same_press' : 'stuck'
}

/** From this many consecutive unchanged repeats on, a further one alarms only a few people. */
const MAX_UNCHANGED = 3
/** More than the position error of a receiver at rest. */
const MOVED_M = 200
const METRES_A_DEGREE = 111_320

/**
 * Whether the tracker has moved since its flag was raised. When in doubt, it has: a first known position counts as a
 * move.
 */
function isMoved({ place, hasMoved }: SosFlag, now: FlagPlace | null): boolean {
  if (hasMoved) return true
  if (now === null) return false
  if (place === undefined) return true
  const north = now.latitude - place.latitude
  const turn = Math.abs(now.longitude - place.longitude)
  const east = Math.min(turn, 360 - turn) * Math.cos((now.latitude * Math.PI) / 180)
  return Math.hypot(north, east) * METRES_A_DEGREE > MOVED_M
}

/**
 * Whether a flag raised again at `place` is most likely false, and so alarms only a few people. devices.md#flags.
 */
export const alarmsFewOnly = (flag: SosFlag, place: FlagPlace | null): boolean =>
  !isMoved(flag, place) && (flag.unchanged ?? 0) >= MAX_UNCHANGED

/** The flag after a report that leaves it set and raises nothing. */
export const unchangedFlag = (flag: SosFlag, now: number, place: FlagPlace | null): SosFlag => ({
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
  // The position of the last change, so that slow movement adds up to a move.
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
