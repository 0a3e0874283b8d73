import type { SqliteDatabase } from '../engine/database.ts'

/** What one user may have kept. Beyond it the oldest goes. */
export type Quotas = {
  readonly telemetryBytes: number
  readonly deadLetterBytes: number
  readonly feedbackRows: number
  /** Closed ones, that is. */
  readonly incidents: number
}

export const UNLIMITED: Quotas = {
  telemetryBytes: Number.POSITIVE_INFINITY,
  deadLetterBytes: Number.POSITIVE_INFINITY,
  feedbackRows: Number.POSITIVE_INFINITY,
  incidents: Number.POSITIVE_INFINITY,
}

/**
 * What a user's rows have grown by is written down in steps: not with every row. A crash forgets less than
 * a step of each user.
 */
const STEP_BYTES = 64 * 1024
const STEPS_A_QUOTA = 16
/** Users whose growth is not written down yet. */
const MAX_UNWRITTEN = 10_000

export type UsageColumn = 'telemetry_bytes' | 'dead_letter_bytes'

/** Moves what is written down of a user's rows, and answers what it is now; undefined where there is no such user. */
export function usageOf(
  db: SqliteDatabase,
  column: UsageColumn,
): (userId: string, bytes: number) => number | undefined {
  const move = db
    .prepare<[number, string], number>(
      `UPDATE users SET ${column} = max(0, ${column} + ?) WHERE id = ? RETURNING ${column}`,
    )
    .pluck()
  return (userId, bytes) => move.get(bytes, userId)
}

/** What every quota is kept with. */
export type QuotaParts = {
  readonly quotas: Quotas
  /** Calls `listener` after a commit that failed: what it stored is gone. */
  readonly onUndone: (listener: () => void) => void
}

type Kind = {
  readonly column: UsageColumn
  readonly quotaBytes: number
  /** Removes a bounded number of rows, of about `bytes`, and answers what they took. */
  readonly removeOldest: (userId: string, bytes: number) => number
}

/**
 * Keeps each user's rows of one kind within `quotaBytes`, more or less. What it makes is told of every row that was
 * stored, inside the transaction.
 */
export function quotaOf(
  db: SqliteDatabase,
  { column, quotaBytes, removeOldest }: Kind,
  onUndone: QuotaParts['onUndone'],
): (userId: string, bytes: number) => void {
  const move = usageOf(db, column)
  const stepBytes = Math.min(STEP_BYTES, quotaBytes / STEPS_A_QUOTA)
  const unwritten = new Map<string, number>()
  onUndone(() => unwritten.clear())

  const write = (userId: string, bytes: number): void => {
    unwritten.delete(userId)
    const total = move(userId, bytes) ?? 0
    if (total > quotaBytes) move(userId, -removeOldest(userId, total - quotaBytes))
  }

  return (userId, bytes) => {
    const grown = (unwritten.get(userId) ?? 0) + bytes
    if (grown >= stepBytes) {
      write(userId, grown)
      return
    }
    unwritten.set(userId, grown)
    if (unwritten.size <= MAX_UNWRITTEN) return
    const [first] = unwritten
    if (first !== undefined) write(...first)
  }
}

/**
 * How many of the oldest rows take `bytes` together, and what they take in fact. `sizes`: of the oldest
 * rows, in their order.
 */
export function oldestOf(sizes: readonly number[], bytes: number): { readonly rows: number; readonly freed: number } {
  let rows = 0
  let freed = 0
  while (rows < sizes.length && freed < bytes) {
    freed += sizes[rows]!
    rows += 1
  }
  return { rows, freed }
}
