import { type EnrolledBy, isVouchedFor } from '../../../core/account/app-invitation.ts'

/** Limits on what one user may store. Beyond them the oldest goes. */
export type Quotas = {
  readonly telemetryBytes: number
  readonly deadLetterBytes: number
  readonly feedbackRows: number
  /** Closed incidents only, without drills. */
  readonly incidents: number
}

/** A user for whom nobody vouches has this part of a quota: anyone before a poster can make many. limits.md#app. */
const STRANGERS_PART = 1 / 16

/** The quota of a user with `used` of it. `enrolledBy` is asked only beyond what each user has. */
export const quotaFor = (quota: number, used: number, enrolledBy: () => EnrolledBy | null): number =>
  used <= quota * STRANGERS_PART || isVouchedFor(enrolledBy()) ? quota : quota * STRANGERS_PART

/**
 * Closed drills of one user, those that the user began counted apart: neither incidents nor either kind of drill push
 * out another. preparing.md#drills.
 */
export const MAX_DRILLS_KEPT = 20

export const UNLIMITED: Quotas = {
  telemetryBytes: Number.POSITIVE_INFINITY,
  deadLetterBytes: Number.POSITIVE_INFINITY,
  feedbackRows: Number.POSITIVE_INFINITY,
  incidents: Number.POSITIVE_INFINITY,
}

/** The kinds of data in a user's quota, by the column that counts each. */
export type UsageColumn = 'telemetry_bytes' | 'dead_letter_bytes'

/** The approximate size of a dead letter besides its payload. */
export const LETTER_BYTES = 200

/** More than most incidents have: the rest of a larger one goes when the next one opens. */
export const MAX_INCIDENT_ROWS = 2500

const MAX_STEP_BYTES = 64 * 1024
const STEPS_A_QUOTA = 16

/** A user's growth is recorded in steps, not with every row. A crash loses less than one step per user. */
export const usageStepOf = (quotaBytes: number): number => Math.min(MAX_STEP_BYTES, quotaBytes / STEPS_A_QUOTA)

/** Counts the oldest rows that make up `bytes`, with their actual size. `sizes`: of the oldest rows, in order. */
export function oldestOf(sizes: readonly number[], bytes: number): { readonly rows: number; readonly freed: number } {
  let rows = 0
  let freed = 0
  while (rows < sizes.length && freed < bytes) {
    freed += sizes[rows]!
    rows += 1
  }
  return { rows, freed }
}
