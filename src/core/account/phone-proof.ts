import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Refused } from '../decided.ts'
import { isAllowedDestination } from './contact.ts'
import { shareOf } from './verification.ts'

/**
 * A number that its user has proved with a code sent to it. It counts until another user proves it (`takenAt`), or its
 * user another number: a change of the profile alone takes it from nobody. `code`: the four digits that make a text
 * from it the owner's own. Epoch ms.
 */
export type PhoneProof = {
  readonly userId: string
  readonly phone: string
  readonly provedAt: number
  readonly takenAt: number | null
  readonly code: string
}

/** A code that was sent to a number. */
export type PhoneCode = {
  readonly id: string
  readonly userId: string
  readonly phone: string
  readonly code: string
  readonly requestedAt: number
  readonly tries: number
  /** The network of the request, as `wideNetworkOf` gives it; null: unknown. */
  readonly network: string | null
}

/** How long a code counts: one sent through a modem may wait behind an alarm. */
export const CODE_MS = 30 * MINUTE
/** How long its row counts against the limits. */
export const CODES_WITHIN_MS = DAY
const PER_USER = 5
/** Limits for a user created by an invitation, and for all of its users: anyone before a poster can name any number. */
const PER_ENROLLED = 3
export const CODES_PER_INVITATION = 100
const PER_NUMBER = 3
/** Further ones, each for a network that has asked for none: strangers elsewhere cannot use them all up. */
const PER_NUMBER_ELSEWHERE = 3
const PAUSE_MS = MINUTE
const MAX_TRIES = 5

/**
 * `own`, `ofNumber`, `ofNetwork`, `ofSite`, `ofApplication`, `ofInvitation`: requests of the last 24 h, the last three
 * counted up to their limits. `ofNetwork`: those of `ofNumber` from the network of this one. `ofInvitation` null: no
 * invitation created this user. `phone`: of the profile; `allowedPrefixes`: of the application.
 */
export type CodeFacts = {
  readonly phone: string | null
  readonly allowedPrefixes: readonly string[]
  readonly own: readonly Pick<PhoneCode, 'requestedAt'>[]
  readonly ofNumber: number
  readonly ofNetwork: number
  readonly ofSite: number
  readonly ofApplication: number
  readonly ofInvitation: number | null
}

type Limited = { readonly refused: 'code_limit'; readonly retryAfterMs: number }

/**
 * Decides whether a code is sent to the profile's number. `perDay`: how many the whole site sends in 24 h.
 * preparing.md#phone-proof.
 */
export function decidePhoneCode(
  { phone, allowedPrefixes, own, ofNumber, ofNetwork, ofSite, ofApplication, ofInvitation }: CodeFacts,
  asked: {
    readonly id: string
    readonly userId: string
    readonly code: string
    readonly network: string | null
    readonly now: number
    readonly perDay: number
  },
): { readonly insert: PhoneCode } | Refused<'no_phone' | 'phone_not_allowed'> | Limited {
  const { perDay, now, ...request } = asked
  if (phone === null) return { refused: 'no_phone' }
  if (!isAllowedDestination(phone, allowedPrefixes)) return { refused: 'phone_not_allowed' }
  const newest = Math.max(...own.map(({ requestedAt }) => requestedAt))
  if (now - newest < PAUSE_MS) return { refused: 'code_limit', retryAfterMs: PAUSE_MS }
  const isFromElsewhere = asked.network !== null && ofNetwork === 0
  const isUsedUp =
    own.length >= (ofInvitation === null ? PER_USER : PER_ENROLLED) ||
    ofNumber >= PER_NUMBER + (isFromElsewhere ? PER_NUMBER_ELSEWHERE : 0) ||
    (ofInvitation !== null && ofInvitation >= CODES_PER_INVITATION) ||
    (ofSite >= perDay && ofApplication >= shareOf(perDay))
  if (isUsedUp) return { refused: 'code_limit', retryAfterMs: HOUR }
  return { insert: { ...request, phone, requestedAt: now, tries: 0 } }
}

/** `sent`: the user's newest code. `holder`: the user who has proved that number. */
export type ProofFacts = {
  readonly phone: string | null
  readonly sent: PhoneCode | null
  readonly holder: PhoneProof | null
  /** The user's own proof, of any number. */
  readonly known: PhoneProof | null
}

/**
 * `taken`: the proof of another user, which no longer counts. `replaced`: the user's own number that counted so far.
 */
export type Proved = {
  readonly proof: PhoneProof
  readonly taken: PhoneProof | null
  readonly replaced: string | null
}

/** Decides about a code that the user has typed. One answer for every reason. preparing.md#phone-proof. */
export function decideProof(
  { phone, sent, holder, known }: ProofFacts,
  { code, smsCode, now }: { readonly code: string; readonly smsCode: string; readonly now: number },
): Proved | (Refused<'wrong_code'> & { readonly update: PhoneCode | null }) {
  const isLive =
    sent !== null && sent.phone === phone && sent.tries < MAX_TRIES && Math.abs(now - sent.requestedAt) < CODE_MS
  if (!isLive || sent.code !== code) {
    return { refused: 'wrong_code', update: isLive ? { ...sent, tries: sent.tries + 1 } : null }
  }
  const { userId } = sent
  const taken = holder === null || holder.userId === userId ? null : { ...holder, takenAt: now }
  const kept = known?.phone === sent.phone && known.takenAt === null ? known.code : smsCode
  const replaced = known !== null && known.takenAt === null && known.phone !== sent.phone ? known.phone : null
  return { proof: { userId, phone: sent.phone, provedAt: now, takenAt: null, code: kept }, taken, replaced }
}

/** That many digits from a random secret in base64url: with 256 bits of it, each is as likely as the other. */
export const digitsOf = (secret: string, count: number): string =>
  (BigInt(`0x${Buffer.from(secret, 'base64url').toString('hex')}`) % 10n ** BigInt(count))
    .toString()
    .padStart(count, '0')
