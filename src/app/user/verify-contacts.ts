import { displayName } from '../../core/account/profile.ts'
import { LINK_MS, type VerificationAnswer } from '../../core/account/verification.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, ApplicationStore, VerificationLink, VerificationStore } from '../../ports/store.ts'

type VerificationNeeds = Omit<Asking, 'store' | 'now'> & {
  readonly store: VerificationStore & Pick<AccountStore, 'user'> & Pick<ApplicationStore, 'application'>
  readonly clock: Pick<Clock, 'now'>
}

type Asking = {
  readonly store: Pick<VerificationStore, 'requestVerification'>
  readonly ids: Pick<Ids, 'secret'>
  readonly now: number
  /** Requests that the whole site allows in 24 h. */
  readonly perDay: number
  /** Called when a request may wait to be sent. */
  readonly onRequest?: () => void
}

/** 128 random bits are enough for a link, and short enough for an SMS. */
const TOKEN_LENGTH = 22

/** The content of the page behind a link. Names as stored. */
export type VerificationPage = {
  readonly who: string
  readonly app: string
  readonly language: string
  readonly answer: VerificationAnswer | null
}

const isExpired = ({ requestedAt, isCurrent }: VerificationLink, now: number): boolean =>
  !isCurrent || now - requestedAt >= LINK_MS

/** `retryAfterMs`: null if this number is never asked again. */
export type Asked =
  | { readonly status: 'requested' | 'verified' }
  | { readonly refused: 'contact_not_found' }
  | { readonly refused: 'verification_limit'; readonly retryAfterMs: number | null }

/**
 * Requests a verification SMS, which leaves as soon as no alarm needs the provider. `requested` does not promise that a
 * message leaves: that would reveal whether another user has named the number. `now`: epoch ms.
 */
export async function askContact(
  { store, ids, perDay, now, onRequest = () => {} }: Asking,
  userId: string,
  contactId: string,
): Promise<Asked> {
  const token = ids.secret().slice(0, TOKEN_LENGTH)
  const asked = await store.requestVerification(userId, contactId, { token, now, perDay })
  if ('refused' in asked) return asked
  if (asked.verdict === 'verified') return { status: 'verified' }
  onRequest()
  return { status: 'requested' }
}

/** `perDay`: requests that the whole site allows in 24 h. `onRequest`: called when one may wait to be sent. */
export type AskingLimits = Pick<Asking, 'perDay' | 'onRequest'>

type AskingNew = Omit<Asking, 'store'> & { readonly store: Asking['store'] & Pick<ApplicationStore, 'application'> }

/**
 * Asks a newly added contact, if the application wants that. A limit or a fault leaves the contact added and
 * unverified, which readiness shows. preparing.md#verification.
 */
export async function askNewContact(
  asking: AskingNew,
  { appId, userId, contactId }: { readonly appId: string; readonly userId: string; readonly contactId: string },
): Promise<void> {
  const application = await asking.store.application(appId).catch(() => null)
  if (application?.verifyContacts) await askContact(asking, userId, contactId).catch(() => null)
}

/** The verification of contacts: requests, the page behind the link, and answers. preparing.md#verification. */
export const verifyContacts = ({ store, clock, ...asking }: VerificationNeeds) => ({
  ask: (userId: string, contactId: string): Promise<Asked> =>
    askContact({ ...asking, store, now: clock.now() }, userId, contactId),

  /** The content of the page behind a link. Changes nothing. */
  async page(token: string): Promise<VerificationPage | { readonly refused: 'unknown_link' | 'link_expired' }> {
    const link = await store.verification(token)
    if (link === null) return { refused: 'unknown_link' }
    if (isExpired(link, clock.now())) return { refused: 'link_expired' }
    const [user, application] = await Promise.all([store.user(link.userId), store.application(link.appId)])
    if (user === null || application === null) return { refused: 'unknown_link' }
    const language = link.language || application.language
    return { who: displayName(user), app: application.name, language, answer: link.answer }
  },

  answer: (token: string, answer: VerificationAnswer) => store.answerVerification(token, answer, clock.now()),
})
