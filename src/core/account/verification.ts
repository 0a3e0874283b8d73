import { DAY } from '../../lib/durations.ts'

/** How long a verification link works. preparing.md#verification. */
export const LINK_MS = 7 * DAY
/** A request still unsent after this long, because alarms came first, lapses. */
export const WAITING_MS = DAY

const PER_NUMBER = 3
const PER_DAY = 10
/**
 * Of a user whom an invitation to the app created, and of all whom the same invitation did: anyone who stands before a
 * poster can enrol, and name any number. limits.md#app.
 */
const PER_ENROLLED_DAY = 3
export const PER_INVITATION_DAY = 50
/**
 * For the user's lifetime. It bounds the rows that the other limits are counted from: 100 numbers, three times each.
 */
const PER_USER = 300

/** The contact's answer on the page behind the link. */
export type VerificationAnswer = 'confirmed' | 'declined'

/** One request of a user. `requestedAt`: epoch ms. */
export type VerificationRequest = { readonly phone: string; readonly requestedAt: number }

/** The facts that decide whether a number is asked. */
export type VerificationFacts = {
  readonly phone: string
  readonly now: number
  /** Every request of this user, at most 300. */
  readonly own: readonly VerificationRequest[]
  /** Whether another user of this site has had this number asked in the last 24 h. */
  readonly isAskedByOthers: boolean
  /** Requests of the whole site in the last 24 h, and how many it allows. */
  readonly site: { readonly requests: number; readonly max: number }
  /**
   * Requests of this application in the last 24 h, counted up to its share. They matter once the site's limit is
   * reached.
   */
  readonly ofApplication: number
  /**
   * Requests in the last 24 h of all users whom the same invitation to the app created, counted up to its limit; null:
   * a backend vouches for this user.
   */
  readonly ofInvitation: number | null
}

/**
 * Requests a day that each application has for itself, of the site's `max`, so that no application can use up the whole
 * limit.
 */
export const shareOf = (max: number): number => Math.ceil(max / 20)

/**
 * Whether a number is asked. `withheld`: nothing is sent, because another user has had the number asked today. The user
 * gets the same answer and uses up as much quota as if it were sent, so that the answer does not reveal who else has
 * named the number. `retryAfterMs`: null if never again. preparing.md#verification.
 */
export type VerificationVerdict =
  | 'asked'
  | 'withheld'
  | { readonly refused: 'verification_limit'; readonly retryAfterMs: number | null }

/** Decides whether a number is asked. preparing.md#verification. */
export function verificationOf({
  phone,
  now,
  own,
  isAskedByOthers,
  site,
  ofApplication,
  ofInvitation,
}: VerificationFacts): VerificationVerdict {
  const ofNumber = own.filter((request) => request.phone === phone)
  if (ofNumber.length >= PER_NUMBER || own.length >= PER_USER) return refused(null)
  const today = (requests: readonly VerificationRequest[]) =>
    requests.map(({ requestedAt }) => requestedAt).filter((at) => isToday(at, now))
  const [same, all] = [today(ofNumber), today(own)]
  if (same.length > 0) return refused(leftOf(Math.max(...same), now))
  if (all.length >= (ofInvitation === null ? PER_DAY : PER_ENROLLED_DAY)) return refused(leftOf(Math.min(...all), now))
  if (ofInvitation !== null && ofInvitation >= PER_INVITATION_DAY) return refused(DAY)
  if (site.requests >= site.max && ofApplication >= shareOf(site.max)) return refused(DAY)
  return isAskedByOthers ? 'withheld' : 'asked'
}

/** Times ahead of the clock count, too: setting the clock back must not lift the limits. */
const isToday = (at: number, now: number): boolean => at > now - DAY
const leftOf = (at: number, now: number): number => Math.min(DAY, at + DAY - now)
const refused = (retryAfterMs: number | null) => ({ refused: 'verification_limit', retryAfterMs }) as const
