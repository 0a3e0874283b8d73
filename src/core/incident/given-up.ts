import type { Delivery } from './delivery.ts'

/** The failure text (rules.md#failure-texts) for an attempt that nobody answered for. */
export const NO_ANSWER = 'connection timeout'

/** Whether any of it may have left: it was refused before, or its outcome stayed unknown. */
const hasRun = ({ error, claim, repeats = claim?.repeats ?? 0 }: Delivery): boolean =>
  error !== null || claim?.counted === true || repeats > 0

/**
 * `row` as it ends when it is not to be tried any more. rules.md#attempts: an attempt that ran and failed is `failed`,
 * also after an acknowledgement or the end; `skipped` is only what never ran.
 */
export const givenUp = (row: Delivery, now: number): Delivery =>
  hasRun(row)
    ? { ...row, status: 'failed', claim: null, error: row.error ?? NO_ANSWER, updatedAt: now }
    : { ...row, status: 'skipped', claim: null, updatedAt: now }
