import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { CaFailure } from '../../ports/certificate-authority.ts'
import type { OrderAttempts, PublicCertificate } from './records.ts'

/** A CA counts orders a week. More than these in a day help nobody. */
export const MAX_ORDERS_A_DAY = 5
/** The operators are told so long before the end, or in the last quarter of a shorter life. */
const NOTICE_MS = 14 * DAY
/** Nothing was asked of the CA: the operator may be at work, and waits for this. */
const SOON_MS = [10 * MINUTE, 10 * MINUTE, 10 * MINUTE, HOUR]
const LATER_MS = [HOUR, 6 * HOUR, DAY]

/** Why a certificate is to be got now, or null. */
export function whyDue(certificate: PublicCertificate | null, domains: readonly string[], now: number): string | null {
  if (certificate === null) return 'there is none'
  if (domains.some((domain) => !certificate.domains.includes(domain))) return 'it lacks a domain'
  const { from, to } = certificate
  return now >= from + (2 * (to - from)) / 3 ? 'two thirds of its life are over' : null
}

/** Whether a certificate ends soon and should have been renewed by now. */
export const endsSoon = ({ from, to }: PublicCertificate, now: number): boolean =>
  to - now < Math.min(NOTICE_MS, (to - from) / 4)

/**
 * When to try again after the attempt number `failures` has failed. Jitter: sites that fail together do not come back
 * together.
 */
export function nextAttempt(
  { kind, retryAfterMs }: { readonly kind: CaFailure; readonly retryAfterMs: number | null },
  { failures, now, random }: { readonly failures: number; readonly now: number; readonly random: number },
): Pick<OrderAttempts, 'nextAt' | 'notBefore'> {
  const waits = kind === 'not_ready' ? SOON_MS : LATER_MS
  const waitMs = waits[Math.min(failures, waits.length) - 1]! * (0.9 + 0.2 * random)
  return {
    nextAt: now + Math.round(Math.max(waitMs, retryAfterMs ?? 0)),
    notBefore: retryAfterMs === null ? 0 : now + retryAfterMs,
  }
}
