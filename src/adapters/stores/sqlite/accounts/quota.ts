import type { EnrolledBy } from '../../../../core/account/app-invitation.ts'
import { quotaFor, type UsageColumn, usageStepOf } from '../../shared/quotas.ts'
import { Sums } from '../../shared/sums.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { WriteContext } from '../engine/write.ts'

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
  { db, onUndone }: WriteContext,
  { column, quotaBytes, removeOldest }: Kind,
): (userId: string, bytes: number) => void {
  const move = usageOf(db, column)
  const enrolment = db.prepare<[string], EnrolledBy | null>('SELECT enrolled_by FROM users WHERE id = ?').pluck()
  const growth = new Sums<string>(usageStepOf(quotaBytes), (userId, bytes) => {
    const total = move(userId, bytes) ?? 0
    const quota = quotaFor(quotaBytes, total, () => enrolment.get(userId) ?? null)
    if (total > quota) move(userId, -removeOldest(userId, total - quota))
  })
  onUndone(() => growth.clear())
  return (userId, bytes) => growth.add(userId, bytes)
}
