import { HOUR } from '../../lib/durations.ts'

/** For how long what an operator wrote without a connection keeps its own time. */
const KEPT_MS = 24 * HOUR

/**
 * The time of a note or tick (epoch ms): when it was written, where the console had to keep it until it was connected
 * again. Never later than now, nor more than a day before.
 */
export const writtenAt = (given: number | undefined, now: number): number =>
  given === undefined ? now : Math.max(now - KEPT_MS, Math.min(given, now))
