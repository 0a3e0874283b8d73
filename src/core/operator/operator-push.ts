import type { PushSubscription } from '../account/push-subscription.ts'
import type { Decided } from '../decided.ts'
import type { News } from '../incident/news.ts'

/**
 * Web Push to a browser in which an operator is signed in. It belongs to the session and ends with it, on every node.
 * access.md#operator-push.
 */
export type OperatorPush = Pick<
  PushSubscription,
  'endpoint' | 'p256dh' | 'auth' | 'language' | 'wholeText' | 'keptAt' | 'sentAt' | 'failedAt' | 'failure'
> & {
  readonly sessionId: string
  readonly operatorId: string
}

export type NewOperatorPush = Omit<OperatorPush, 'sentAt' | 'failedAt' | 'failure'>

/** The most browsers of one operator. */
export const MAX_OPERATOR_PUSHES = 5

/**
 * `isSession`: the session is open and the operator's. `others`: the operator's other sessions with another browser.
 */
export type KeepPushSituation = { readonly isSession: boolean; readonly others: number }

/** Subscribes the browser of a session, as long as fewer than `max` others of the operator are. */
export function decideKeepPush(
  { isSession, others }: KeepPushSituation,
  push: NewOperatorPush,
  max: number,
): Decided<{ readonly insert: OperatorPush }, { readonly kept: true }, 'session_not_found' | 'push_limit'> {
  if (!isSession) return { refused: 'session_not_found' }
  if (others >= max) return { refused: 'push_limit' }
  return { insert: { ...push, sentAt: null, failedAt: null, failure: null }, result: { kept: true } }
}

/** How long news is still told: nothing old rings after a restart. */
const FRESH_MS = 120_000

/** The news that phones get of an incident. A message of the person rings on the board alone. */
export type ToldNews = Exclude<News['what'], 'message'>

/** The part of this news that is still told; null: none. */
export const toldOf = (news: News | null, now: number): ToldNews | null =>
  news === null || news.what === 'message' || Math.abs(now - news.at) > FRESH_MS ? null : news.what

/** At first one message per alarm, at least this far apart; alarms in between share the next one. */
const APART_MS = 10_000
/** Single messages per hour; beyond that, gathered ones. */
const SINGLE_AN_HOUR = 10
const GATHER_MS = 300_000
const HOUR_MS = 3_600_000

/** How long the next message to a browser has to wait. `sent`: when the last ones left. */
export function pushWaitMs(sent: readonly number[], now: number): number {
  const lately = sent.filter((at) => Math.abs(now - at) < HOUR_MS)
  const last = lately.at(-1)
  if (last === undefined) return 0
  return Math.max(0, last + (lately.length >= SINGLE_AN_HOUR ? GATHER_MS : APART_MS) - now)
}

/** The moments that `pushWaitMs` still needs. */
export const sentWith = (sent: readonly number[], now: number): readonly number[] =>
  [...sent, now].slice(-SINGLE_AN_HOUR)
