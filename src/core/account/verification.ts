import { DAY } from '../../lib/durations.ts'

/** How long a link that asks a contact to confirm works. rules.md#verification. */
export const LINK_MS = 7 * DAY
/** A request that could not be sent by then, because alarms came first, lapses. */
export const WAITING_MS = DAY

const PER_NUMBER = 3
const PER_DAY = 10
/** For ever, so that the rows that count the rest are bounded: 100 numbers, three times each. */
const PER_USER = 300

/** What a contact said behind the link. */
export type VerificationAnswer = 'confirmed' | 'declined'

/** One request of a user. `requestedAt`: epoch ms. */
export type VerificationRequest = { readonly phone: string; readonly requestedAt: number }

/** What decides whether a number is asked. */
export type VerificationFacts = {
  readonly phone: string
  readonly now: number
  /** Every request of this user, at most 300. */
  readonly own: readonly VerificationRequest[]
  /** Whether another user of this site had this number asked within the last day. */
  readonly isAskedByOthers: boolean
  /** Requests of the whole site within the last day, and how many it allows. */
  readonly site: { readonly requests: number; readonly max: number }
  /** Requests of this application within the last day, up to its share. They count where the site has no more. */
  readonly ofApplication: number
}

/**
 * Requests a day that each application has whatever others ask, of the `max` of the site: no application can use up
 * what all need.
 */
export const shareOf = (max: number): number => Math.ceil(max / 20)

/**
 * Whether a number is asked. `withheld`: nothing is sent, because another user had the number asked today. The user
 * gets the same answer and uses up as much as if it were sent, so that the answer does not reveal who else names a
 * number. `retryAfterMs`: null if never again. rules.md#verification.
 */
export type VerificationVerdict =
  | 'asked'
  | 'withheld'
  | { readonly refused: 'verification_limit'; readonly retryAfterMs: number | null }

export function verificationOf({
  phone,
  now,
  own,
  isAskedByOthers,
  site,
  ofApplication,
}: VerificationFacts): VerificationVerdict {
  const ofNumber = own.filter((request) => request.phone === phone)
  if (ofNumber.length >= PER_NUMBER || own.length >= PER_USER) return refused(null)
  const today = (requests: readonly VerificationRequest[]) =>
    requests.map(({ requestedAt }) => requestedAt).filter((at) => isToday(at, now))
  const [same, all] = [today(ofNumber), today(own)]
  if (same.length > 0) return refused(leftOf(Math.max(...same), now))
  if (all.length >= PER_DAY) return refused(leftOf(Math.min(...all), now))
  if (site.requests >= site.max && ofApplication >= shareOf(site.max)) return refused(DAY)
  return isAskedByOthers ? 'withheld' : 'asked'
}

/** A time ahead of the clock counts, too: a clock that was set back must not open the limits. */
const isToday = (at: number, now: number): boolean => at > now - DAY
const leftOf = (at: number, now: number): number => Math.min(DAY, at + DAY - now)
const refused = (retryAfterMs: number | null) => ({ refused: 'verification_limit', retryAfterMs }) as const
