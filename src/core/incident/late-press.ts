import { MINUTE } from '../../lib/durations.ts'

/** Up to this delay a press counts as having arrived when it was made: few phones have the exact time. */
export const LATE_MS = 2 * MINUTE

/**
 * When it was pressed, and by how much it arrived late; `lateMs` null: in time. All in milliseconds. A device whose
 * clock is ahead cannot have pressed after the arrival. rules.md#event-time.
 */
export function pressAt(
  occurredAt: number,
  arrivedAt: number,
): { readonly pressedAt: number; readonly lateMs: number | null } {
  const pressedAt = Math.min(occurredAt, arrivedAt)
  const delay = arrivedAt - pressedAt
  return { pressedAt, lateMs: delay > LATE_MS ? delay : null }
}
