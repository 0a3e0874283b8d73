import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'

/** Tries to sign in that failed lately. Older ones count less. `at`: monotonic ms of the last one. */
export type Pace = { readonly failures: number; readonly at: number }

const HALF_LIFE_MS = HOUR
/**
 * An attacker who knows a password and guesses codes, of which three in a million are right, gets 288 tries a day: less
 * than one chance in a thousand.
 */
const LONGEST_WAIT_MS = 5 * MINUTE

const recentFailures = ({ failures, at }: Pace, now: number): number => failures * 0.5 ** ((now - at) / HALF_LIFE_MS)

/** After one more try, which counts as failed until it has succeeded: so parallel tries count, too. */
export const afterTry = (pace: Pace | undefined, now: number): Pace => ({
  failures: (pace === undefined ? 0 : recentFailures(pace, now)) + 1,
  at: now,
})

/** After one of the tries has succeeded. */
export const afterSuccess = ({ failures, at }: Pace): Pace => ({ failures: Math.max(0, failures - 1), at })

/**
 * Milliseconds until the next try may be made, 0 for now. The first `free` failures cost nothing, then the wait doubles
 * from one second to five minutes. It always ends.
 */
export function waitMs(pace: Pace | undefined, free: number, now: number): number {
  if (pace === undefined || pace.failures < free) return 0
  const wait = Math.min(SECOND * 2 ** Math.floor(pace.failures - free), LONGEST_WAIT_MS)
  return Math.max(0, pace.at + wait - now)
}
