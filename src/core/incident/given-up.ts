import type { Delivery } from './delivery.ts'

/** The failure text (rules.md#failure-texts) of an attempt that got no response. */
export const NO_ANSWER = 'connection timeout'

/** Whether any of it may have left: it was refused before, or its outcome stayed unknown. */
const hasRun = ({ error, claim, repeats = claim?.repeats ?? 0 }: Delivery): boolean =>
  error !== null || claim?.counted === true || repeats > 0

/**
 * `row` once it is not to be tried again. rules.md#attempts: an attempt that ran and failed is `failed`, even after an
 * acknowledgement or the end. Only what never ran is `skipped`.
 */
export const givenUp = (row: Delivery, now: number): Delivery =>
  hasRun(row)
    ? { ...row, status: 'failed', claim: null, error: row.error ?? NO_ANSWER, updatedAt: now }
    : { ...row, status: 'skipped', claim: null, updatedAt: now }
