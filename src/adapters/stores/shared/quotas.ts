/** Limits on what one user may store. Beyond them the oldest goes. */
export type Quotas = {
  readonly telemetryBytes: number
  readonly deadLetterBytes: number
  readonly feedbackRows: number
  /** Closed incidents only, without drills. */
  readonly incidents: number
}

/** Closed drills of one user. They never make a real incident go, nor the other way round. rules.md#drills. */
export const MAX_DRILLS_KEPT = 20

export const UNLIMITED: Quotas = {
  telemetryBytes: Number.POSITIVE_INFINITY,
  deadLetterBytes: Number.POSITIVE_INFINITY,
  feedbackRows: Number.POSITIVE_INFINITY,
  incidents: Number.POSITIVE_INFINITY,
}

/** How many of the oldest rows make up `bytes`, and their actual size. `sizes`: of the oldest rows, in order. */
export function oldestOf(sizes: readonly number[], bytes: number): { readonly rows: number; readonly freed: number } {
  let rows = 0
  let freed = 0
  while (rows < sizes.length && freed < bytes) {
    freed += sizes[rows]!
    rows += 1
  }
  return { rows, freed }
}
