import { HOUR } from '../../lib/durations.ts'

/** How long a text written offline keeps its own time. */
const KEPT_MS = 24 * HOUR

/**
 * The time of a note or tick (epoch ms): when it was written, even if the console was offline and sent it later. Never
 * later than now, nor more than a day earlier.
 */
export const writtenAt = (given: number | undefined, now: number): number =>
  given === undefined ? now : Math.max(now - KEPT_MS, Math.min(given, now))
