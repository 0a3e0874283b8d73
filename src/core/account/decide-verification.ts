import type { Decided } from '../decided.ts'
import type { Contact } from './contact.ts'
import {
  LINK_MS,
  type VerificationAnswer,
  type VerificationFacts,
  type VerificationVerdict,
  verificationOf,
} from './verification.ts'

/** The request to verify a contact. `perDay`: how many requests the whole site allows in 24 h. */
export type VerificationAsked = { readonly token: string; readonly now: number; readonly perDay: number }

/** `contact`: null if the user has none with that id. `requests`: of the whole site in the last 24 h. */
export type VerificationSituation = Pick<
  VerificationFacts,
  'own' | 'isAskedByOthers' | 'ofApplication' | 'ofInvitation'
> & {
  readonly contact: Contact | null
  readonly requests: number
}

/** A request as stored. */
export type Verification = {
  readonly token: string
  readonly userId: string
  readonly contactId: string
  readonly phone: string
  readonly requestedAt: number
  readonly withheld: boolean
  readonly sentAt: number | null
}

/** The request behind a link, with its contact as it is now; null if the contact is gone. */
export type AskedContact = Pick<Verification, 'phone' | 'requestedAt'> & { readonly contact: Contact | null }

type Verdict = Extract<VerificationVerdict, string> | 'verified'
type Limit = Extract<VerificationVerdict, object>

/** Stores a request, which is sent later. preparing.md#verification. */
export function decideRequestVerification(
  { contact, own, isAskedByOthers, requests, ofApplication, ofInvitation }: VerificationSituation,
  { token, now, perDay }: VerificationAsked,
): Decided<{ readonly insert?: Verification }, { readonly verdict: Verdict }, 'contact_not_found'> | Limit {
  if (contact === null) return { refused: 'contact_not_found' }
  if (contact.verifiedAt !== null) return { result: { verdict: 'verified' } }
  const { id: contactId, userId, phone } = contact
  const site = { requests, max: perDay }
  const verdict = verificationOf({ phone, now, own, isAskedByOthers, site, ofApplication, ofInvitation })
  if (typeof verdict === 'object') return verdict
  const withheld = verdict === 'withheld'
  return { insert: { token, userId, contactId, phone, requestedAt: now, withheld, sentAt: null }, result: { verdict } }
}

/** Applies a contact's answer: the last one counts, and a confirmation lifts a stop. preparing.md#verification. */
export function decideAnswerVerification(
  asked: AskedContact | null,
  answer: VerificationAnswer,
  now: number,
): Decided<{ readonly update: Contact }, { readonly answered: true }, 'unknown_link' | 'link_expired'> {
  if (asked === null) return { refused: 'unknown_link' }
  const { contact, phone, requestedAt } = asked
  if (contact?.phone !== phone || now - requestedAt >= LINK_MS) return { refused: 'link_expired' }
  const update: Contact =
    answer === 'confirmed'
      ? { ...contact, verifiedAt: now, declinedAt: null, stoppedAt: null }
      : { ...contact, verifiedAt: null, declinedAt: now }
  return { update, result: { answered: true } }
}
