import { DAY, MINUTE } from '../../lib/durations.ts'
import type { Refused } from '../decided.ts'
import type { Operator } from './operator.ts'
import { type Grant, roles } from './role.ts'
import { hasEnded, type OperatorSession } from './session.ts'

/** How long an offer to hand everything over can be accepted. access.md#shifts. */
export const HAND_OVER_MS = 5 * MINUTE
/** How long an unconfirmed note to the next shift is kept. */
export const SHIFT_NOTE_MS = 7 * DAY

/** The newest offer of an operator to hand over all their incidents to another. Times are epoch ms. */
export type ShiftOffer = {
  readonly fromId: string
  readonly toId: string
  readonly offeredAt: number
  readonly answer: 'accepted' | 'declined' | null
  readonly answeredAt: number | null
}

/** `offered`: not answered yet. `lapsed`: not answered in time. */
export type HandOverState = 'offered' | 'accepted' | 'declined' | 'lapsed'

/** The state of an offer. One from the future was made by a fast clock: it has lapsed. */
export function offerStateOf({ offeredAt, answer }: ShiftOffer, now: number): HandOverState {
  if (answer !== null) return answer
  return Math.abs(now - offeredAt) < HAND_OVER_MS ? 'offered' : 'lapsed'
}

/** A new offer, not answered yet, which replaces any earlier one of the operator. */
export const newOffer = (offer: Pick<ShiftOffer, 'fromId' | 'toId' | 'offeredAt'>): ShiftOffer => ({
  ...offer,
  answer: null,
  answeredAt: null,
})

type Answer = { readonly toId: string; readonly answer: 'accepted' | 'declined'; readonly at: number }

/** Answers an offer once, in time, as the operator it is for. access.md#shifts. */
export function decideAnswerHandOver(
  offer: ShiftOffer | null,
  { toId, answer, at }: Answer,
): Refused<'offer_over'> | { readonly update: ShiftOffer } {
  if (offer === null || offer.toId !== toId || offerStateOf(offer, at) !== 'offered') return { refused: 'offer_over' }
  return { update: { ...offer, answer, answeredAt: at } }
}

/** A note to the next shift. `applications`: those it concerns, null for the whole site. */
export type ShiftNote = {
  readonly operatorId: string
  readonly at: number
  readonly text: string
  readonly applications: Grant['applications']
}

/**
 * Whether a grant may read a note: it must cover all applications of the author, as the note may concern any of them.
 */
export const readsNote = ({ applications: mine }: Pick<Grant, 'applications'>, { applications }: ShiftNote): boolean =>
  mine === null || applications?.every((appId) => mine.includes(appId)) === true

/** Whether two operators have an application in common. */
export const worksWith = (one: Pick<Grant, 'applications'>, other: Pick<Grant, 'applications'>): boolean =>
  one.applications === null ||
  other.applications === null ||
  one.applications.some((appId) => other.applications!.includes(appId))

/** The fields of a session that decide when it ends. */
export type SessionSpan = Pick<OperatorSession, 'operatorId' | 'createdAt' | 'seenAt' | 'expiresAt'>

/** An operator on shift, with the time of their last action. */
export type OnShift = { readonly operator: Operator; readonly seenAt: number }

/**
 * The operators on shift: signed in, with a role that may take an alarm. `now`: epoch ms; null if the date is not
 * trusted, which then ends no session. In the order of `operators`.
 */
export function onShift(
  operators: readonly Operator[],
  sessions: readonly SessionSpan[],
  now: number | null,
): readonly OnShift[] {
  const seen = new Map<string, number>()
  for (const session of sessions) {
    if (now !== null && hasEnded(session, now)) continue
    seen.set(session.operatorId, Math.max(session.seenAt, seen.get(session.operatorId) ?? 0))
  }
  return operators.flatMap((operator) => {
    const seenAt = seen.get(operator.id)
    const mayTake = !operator.disabled && roles.indexOf(operator.role) >= roles.indexOf('operator')
    return seenAt === undefined || !mayTake ? [] : [{ operator, seenAt }]
  })
}
