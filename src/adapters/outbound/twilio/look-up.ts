import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { NO_ANSWER } from '../../../core/incident/delivery.ts'
import { RECEIPT_OVERDUE_MS } from '../../../core/incident/escalation.ts'
import { MINUTE, SECOND } from '../../../lib/durations.ts'
import type { Log } from '../../../ports/log.ts'
import type { TextNotification } from '../../../ports/notifier.ts'
import type { Resource, ResourceKind, TwilioClient } from './client.ts'
import type { OwnResources } from './own-resources.ts'
import { faultOf, RequestFailed } from './request-client.ts'
import { isSameText } from './same-text.ts'
import { callReceipt, messageReceipt } from './statuses.ts'

export const PROVIDER = 'twilio'

/** After this long there will be no more news: the message's validity has ended. */
const ASKED_FOR_MS = 15 * MINUTE
/** When polling, the wait is at least this fraction (1/n) of the message's age. */
const PART_OF_AGE = 10
/** Twilio reports times in whole seconds, and so does the header by which the clocks are compared. */
const CLOCK_TOLERANCE_MS = 2 * SECOND

/** The kind of Twilio resource that a message becomes. */
export const resourceKindOf = ({ channel }: TextNotification): ResourceKind => (channel === 'sms' ? 'message' : 'call')

/** The way in which status reports arrive: `pollMs` is null if Twilio calls back. */
export type Receipts = { readonly pollMs: number | null }

/** When to ask again about a message sent `ageMs` ago: in milliseconds, or null if asking is no longer useful. */
export function askAfter({ pollMs }: Receipts, ageMs: number): number | null {
  if (ageMs > ASKED_FOR_MS) return null
  return pollMs === null ? RECEIPT_OVERDUE_MS : Math.max(pollMs, Math.round(ageMs / PART_OF_AGE))
}

/** Derives the outcome of an attempt from Twilio's record of the message or call (rules.md#outcomes). */
export function outcomeFrom(kind: ResourceKind, resource: Resource, askAfterMs: number | null): AttemptOutcome {
  const { sid, status, errorCode } = resource
  const taken = { provider: PROVIDER, providerRef: sid }
  const sent = { kind: 'sent', ...taken, ...(askAfterMs !== null && { askAfterMs }) } as const
  const receipt = kind === 'message' ? messageReceipt(status, errorCode) : callReceipt(status)
  // An unknown status tells nothing new.
  if (receipt === null) return sent
  switch (receipt.status) {
    case 'sent':
      return sent
    case 'delivered':
      return { kind: 'delivered', ...taken }
    case 'failed':
      // A text rejected by the network will not arrive by being sent again, but an unanswered call may be answered next
      // time.
      return { kind: 'failed', error: receipt.error ?? 'provider error', retryable: kind === 'call' }
    default:
      return receipt.status satisfies never
  }
}

/** The most informative first, if a duplicated message is found twice. */
const rank = { delivered: 0, sent: 1, failed: 2 } as const

/**
 * Asks Twilio for the status of a message or call: by id if it is known, otherwise by searching everything sent to this
 * recipient since the claim. Never rejects: without an answer the outcome stays `unknown`.
 */
export function createLookUp(needs: {
  readonly client: TwilioClient
  /** The number that calls come from. */
  readonly caller: string | null
  readonly own: OwnResources
  readonly receipts: Receipts
  readonly now: () => number
  readonly log: Log
}): (text: TextNotification) => Promise<AttemptOutcome> {
  const { client, caller, own, receipts, now, log } = needs

  const outcome = (kind: ResourceKind, resource: Resource): AttemptOutcome => {
    const ageMs = resource.createdAt === null ? 0 : now() + client.aheadMs() - resource.createdAt
    return outcomeFrom(kind, resource, askAfter(receipts, ageMs))
  }

  async function find(text: TextNotification): Promise<Resource | null> {
    const { attemptId, claimedAt, to, token, timeoutMs } = text
    const kind = resourceKindOf(text)
    if (kind === 'call' && caller === null) return null
    const listed =
      kind === 'message' ? await client.messagesTo(to, timeoutMs) : await client.callsTo(to, caller ?? '', timeoutMs)
    // By Twilio's clock, taken from the header of this same response.
    const since = own.openSince(attemptId, claimedAt) + client.aheadMs() - CLOCK_TOLERANCE_MS
    const isIts = ({ sid, body, createdAt }: Resource): boolean =>
      !own.isOfAnother(sid, attemptId) &&
      !text.otherRefs.includes(sid) &&
      // A text can also be recognised by its link, but a call without a time could be any call.
      (createdAt === null ? kind === 'message' : createdAt >= since) &&
      (kind === 'call' || (body?.includes(token) === true && isSameText(body, text.text)))
    const best = (resource: Resource) => {
      const { kind: ended } = outcome(kind, resource)
      return ended === 'delivered' || ended === 'failed' ? rank[ended] : rank.sent
    }
    return listed.filter(isIts).toSorted((a, b) => best(a) - best(b))[0] ?? null
  }

  return async (text) => {
    const { attemptId, incidentId, channel, provider, providerRef, timeoutMs } = text
    if (provider !== null && provider !== PROVIDER) return { kind: 'not_found' }
    try {
      const found =
        providerRef === null ? await find(text) : await client.fetch(resourceKindOf(text), providerRef, timeoutMs)
      if (found !== null) {
        own.took(attemptId, found.sid)
        return outcome(resourceKindOf(text), found)
      }
    } catch (error) {
      log.warn({ incidentId, attemptId, channel, fault: faultOf(error) }, 'could not ask Twilio about an attempt')
      if (providerRef !== null) return { kind: 'unknown' }
      const open = own.leftOpenBy(attemptId)
      // Twilio said that it did not accept the text and cannot confirm it now: a 5xx is retryable
      // (rules.md#unknown-outcomes).
      if (channel === 'sms' && open?.isAnswered) return { kind: 'failed', error: open.error, retryable: true }
      // The account may not look it up, or a gateway offers no lists; the result would be the same ten seconds later.
      return isRefusal(error) ? { kind: 'not_found', error: open?.error ?? NO_ANSWER } : { kind: 'unknown' }
    }
    // Twilio does not have it, so a text whose request stayed open has failed. A call is repeated immediately, but only
    // once.
    const open = channel === 'sms' ? own.leftOpenBy(attemptId) : null
    return open === null ? { kind: 'not_found' } : { kind: 'failed', error: open.error, retryable: true }
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof RequestFailed) || error.failure.kind !== 'refused') return false
  const { status } = error.failure
  return status >= 400 && status < 500 && status !== 429
}
