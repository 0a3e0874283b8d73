import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/** Further incidents of a number that sends no right code alarm the board, chat and the fallback contact only. */
const MAX_OPENED = 3
const OPENED_WITHIN_MS = DAY
/** After so many answers that it was not them, contacts come after board and fallback contact. */
const DENIALS = 2
export const DENIED_WITHIN_MS = 7 * DAY
/** How much later contacts are alarmed then. */
export const LATER_MS = 2 * MINUTE

/** Answers by SMS, of a number and of the whole site. */
export const MAX_ANSWERS = 4
export const MAX_SITE_ANSWERS = 50
export const ANSWERS_WITHIN_MS = HOUR

/**
 * `number`: `proved` by one user, in a profile without a proof, or neither. `opened`: incidents that texts of this
 * number opened within a day, without the open one. `denials`: answers "not me" within seven days. `isHeard`: there is
 * a fallback contact, or an operator at the board.
 */
export type SmsFacts = {
  readonly number: 'proved' | 'unproved' | 'unknown'
  readonly code: 'right' | 'wrong' | 'none'
  readonly opened: number
  readonly denials: number
  readonly isHeard: boolean
}

/**
 * An SOS by SMS. `by`: the owner's press, or one as through another user, who is not trusted.
 * `reach`: everyone; board and fallback contact first and contacts later; or only the first two.
 */
export type SmsReach = { readonly by: 'owner' | 'other'; readonly reach: 'all' | 'later' | 'fallback' }

/** Decides about reach, never about whether it rings. sms.md#sms-sos. */
export function smsReach({ number, code, opened, denials, isHeard }: SmsFacts): SmsReach {
  if (number !== 'proved') return { by: 'other', reach: 'fallback' }
  if (code === 'right') return { by: 'owner', reach: 'all' }
  // Otherwise three forged texts would leave the person's own with nobody.
  if (opened >= MAX_OPENED) return { by: 'other', reach: isHeard ? 'fallback' : 'later' }
  return { by: 'other', reach: denials >= DENIALS ? 'later' : 'all' }
}

/** `isAllowed`: the number is proved, no short code, and inside the allowed prefixes. Counts are of the last hour. */
export type AnswerFacts = {
  readonly isAllowed: boolean
  readonly isSilent: boolean
  readonly ofNumber: number
  readonly ofSite: number
}

/** `held`: the site has sent as many as it may. `none`: this number gets none. sms.md#sms-sos. */
export function smsAnswerOf({ isAllowed, isSilent, ofNumber, ofSite }: AnswerFacts): 'sent' | 'held' | 'none' {
  if (!isAllowed || isSilent || ofNumber >= MAX_ANSWERS) return 'none'
  return ofSite >= MAX_SITE_ANSWERS ? 'held' : 'sent'
}

/** The digits of a number that a person can have; short codes and names have fewer, or none. */
const FULL_NUMBER = /^\+[1-9]\d{7,14}$/

export const isFullNumber = (number: string): boolean => FULL_NUMBER.test(number)

/** The incidents that texts of a number opened within a day, without the open one. `now`: epoch ms. */
export function openedBy(
  texts: readonly { readonly receivedAt: number; readonly incidentId: string }[],
  { now, openId }: { readonly now: number; readonly openId: string | null },
): number {
  const recent = texts.filter(({ receivedAt }) => receivedAt > now - OPENED_WITHIN_MS)
  return new Set(recent.map(({ incidentId }) => incidentId).filter((id) => id !== openId)).size
}
