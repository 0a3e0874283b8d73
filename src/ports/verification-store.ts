import type { VerificationAsked } from '../core/account/decide-verification.ts'
import type { VerificationAnswer, VerificationVerdict } from '../core/account/verification.ts'

/** A request's place in the queue, the oldest first. `requestedAt`: epoch ms. */
export type VerificationPlace = { readonly requestedAt: number; readonly token: string }

/** The message that asks a contact, as it is to be sent. */
export type VerificationDue = VerificationPlace & {
  readonly appId: string
  readonly userId: string
  readonly contact: { readonly id: string; readonly phone: string; readonly language: string }
}

/** The request behind a link. Times are epoch ms. `isCurrent`: the contact still exists, and has that number. */
export type VerificationLink = {
  readonly appId: string
  readonly userId: string
  readonly requestedAt: number
  readonly isCurrent: boolean
  readonly language: string
  readonly answer: VerificationAnswer | null
}

/** Asking contacts whether they agree to be alarmed. preparing.md#verification. */
export type VerificationStore = {
  /** Stores a request, if the limits allow it. Sending is another step, `claimVerification`. */
  requestVerification(
    userId: string,
    contactId: string,
    asked: VerificationAsked,
  ): Promise<
    { readonly verdict: Extract<VerificationVerdict, string> | 'verified' } | Refused | { refused: 'contact_not_found' }
  >
  /** The oldest request that waits behind `after`, from now on this process's to send. Null: none waits there. */
  claimVerification(now: number, after: VerificationPlace | null): Promise<VerificationDue | null>
  /** The message certainly did not leave: it waits again. */
  releaseVerification(token: string): Promise<void>
  verification(token: string): Promise<VerificationLink | null>
  /** Stores the contact's answer; the last one counts. preparing.md#verification. */
  answerVerification(
    token: string,
    answer: VerificationAnswer,
    now: number,
  ): Promise<{ readonly answered: true } | { readonly refused: 'unknown_link' | 'link_expired' }>
}

type Refused = Extract<VerificationVerdict, object>
