import type { Quotas } from '../../shared/quotas.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** A user's growth is recorded in steps, not with every row. A crash loses less than one step per user. */
const STEP_BYTES = 64 * 1024
const STEPS_A_QUOTA = 16
/** Users whose growth has not been recorded yet. */
const MAX_UNWRITTEN = 10_000

export type UsageColumn = 'telemetry_bytes' | 'dead_letter_bytes'

/** Adds to the recorded bytes of a user's rows and returns the new total; undefined if there is no such user. */
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

/** What every quota needs. */
export type QuotaParts = {
  readonly quotas: Quotas
  /** Calls `listener` after a failed commit: its writes are gone. */
  readonly onUndone: (listener: () => void) => void
}

type Kind = {
  readonly column: UsageColumn
  readonly quotaBytes: number
  /** Removes a bounded number of rows, of about `bytes`, and returns the bytes freed. */
  readonly removeOldest: (userId: string, bytes: number) => number
}

/**
 * Keeps each user's rows of one kind within about `quotaBytes`. Call the returned function for every stored row, inside
 * the transaction.
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
