import { DAY, HOUR, MINUTE } from '../../../lib/durations.ts'
import type { CaFailure } from '../../../ports/certificate-authority.ts'
import { noAttempts, type OrderAttempts, type PublicCertificate } from './records.ts'

/** A CA counts orders a week. More than these in a day help nobody. */
export const MAX_ORDERS_A_DAY = 5
/** The operators are told so long before the end, or in the last quarter of a shorter life. */
const NOTICE_MS = 14 * DAY
/** The CA was not involved; an operator may be fixing the cause and waiting for this. */
const SOON_MS = [10 * MINUTE, 10 * MINUTE, 10 * MINUTE, HOUR]
const LATER_MS = [HOUR, 6 * HOUR, DAY]
/** No attempt is ever put off for longer: a CA whose limit is reached is believed for a week. */
const MAX_WAIT_MS = 8 * DAY
/** One that is out of order, or refuses, is believed less: nobody may ask it meanwhile, not even an operator. */
const MAX_REST_MS = HOUR

/** The site's wish: a certificate for these names, from the CA of this directory. */
export type WantedCertificate = { readonly directory: string; readonly domains: readonly string[] }

/** Why a certificate is to be got now, or null. */
export function whyDue(
  certificate: PublicCertificate | null,
  { directory, domains }: WantedCertificate,
  now: number,
): string | null {
  if (certificate === null) return 'there is none'
  // The staging directory of a CA, for instance.
  if (certificate.directory !== directory) return 'it is from another CA'
  if (domains.some((domain) => !certificate.domains.includes(domain))) return 'it lacks a domain'
  const { from, to } = certificate
  return now >= from + (2 * (to - from)) / 3 ? 'two thirds of its life are over' : null
}

/** Whether a certificate ends soon and should have been renewed by now. */
export const endsSoon = ({ from, to }: PublicCertificate, now: number): boolean =>
  to - now < Math.min(NOTICE_MS, (to - from) / 4)

/**
 * The earlier attempts, as they bear on the next. Attempts for other names or at another CA do not delay it, nor does a
 * moment that only a wrong clock can have noted.
 */
export function attemptsFor(
  before: OrderAttempts,
  { directory, domains }: WantedCertificate,
  now: number,
): OrderAttempts {
  if (before.directory !== directory) return { ...noAttempts, toldOf: before.toldOf, directory, domains }
  const isPossible = (moment: number): boolean => moment - now <= MAX_WAIT_MS
  const notBefore = isPossible(before.notBefore) ? before.notBefore : 0
  const isSame = before.domains.join() === domains.join()
  if (!isSame) return { ...before, domains, notBefore, nextAt: 0, blindAt: 0, failures: 0, problem: null }
  return { ...before, notBefore, nextAt: isPossible(before.nextAt) ? before.nextAt : 0 }
}

/** Whether `moment` is within a day of now. One ahead of the clock counts, but not for years. */
export const isWithinADay = (moment: number, now: number): boolean => Math.abs(now - moment) < DAY

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
  const isOfLimit = kind === 'rate_limited' || kind === 'not_ready'
  const restMs = retryAfterMs === null ? 0 : isOfLimit ? retryAfterMs : Math.min(retryAfterMs, MAX_REST_MS)
  return {
    nextAt: now + Math.round(Math.max(waitMs, restMs)),
    notBefore: restMs === 0 ? 0 : now + restMs,
  }
}
