import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { RECEIPT_OVERDUE_MS } from '../../../core/incident/escalation.ts'
import { NO_ANSWER } from '../../../core/incident/given-up.ts'
import { MINUTE, SECOND } from '../../../lib/durations.ts'
import type { Log } from '../../../ports/log.ts'
import type { TextNotification } from '../../../ports/notifier.ts'
import type { Kind, Resource, TwilioClient } from './client.ts'
import type { OwnResources } from './own-resources.ts'
import { faultOf, RequestFailed } from './request-client.ts'
import { isSameText } from './same-text.ts'
import { callReceipt, messageReceipt } from './statuses.ts'

export const PROVIDER = 'twilio'

/** Nothing becomes of a message any more that nothing has become of for so long: its validity has ended. */
const ASKED_FOR_MS = 15 * MINUTE
/** In polling the later questions come further apart: by this part of the time that has passed. */
const PART_OF_AGE = 10
/** Twilio tells times in whole seconds, and so does the header by which the clocks are compared. */
const CLOCK_TOLERANCE_MS = 2 * SECOND

export const kindOf = ({ channel }: TextNotification): Kind => (channel === 'sms' ? 'message' : 'call')

/** How it is learned what became of a message: `pollMs` null where Twilio calls back. */
export type Receipts = { readonly pollMs: number | null }

/**
 * When to ask what became of something that was sent `ageMs` ago: in milliseconds, or null where it is no use any more.
 */
export function askAfter({ pollMs }: Receipts, ageMs: number): number | null {
  if (ageMs > ASKED_FOR_MS) return null
  return pollMs === null ? RECEIPT_OVERDUE_MS : Math.max(pollMs, Math.round(ageMs / PART_OF_AGE))
}

/** What Twilio's own record of a message or call says of the attempt. rules.md#outcomes. */
export function outcomeFrom(kind: Kind, resource: Resource, askAfterMs: number | null): AttemptOutcome {
  const { sid, status, errorCode } = resource
  const taken = { provider: PROVIDER, providerRef: sid }
  const sent = { kind: 'sent', ...taken, ...(askAfterMs !== null && { askAfterMs }) } as const
  const receipt = kind === 'message' ? messageReceipt(status, errorCode) : callReceipt(status)
  // A status that nobody has heard of is no news.
  if (receipt === null) return sent
  switch (receipt.status) {
    case 'sent':
      return sent
    case 'delivered':
      return { kind: 'delivered', ...taken }
    case 'failed':
      // A text that the network gave back will not arrive by being sent again; a call that nobody took may
      // be answered next time.
      return { kind: 'failed', error: receipt.error ?? 'provider error', retryable: kind === 'call' }
    default:
      return receipt.status satisfies never
  }
}

/** The more telling first, where a doubled message is found twice. */
const rank = { delivered: 0, sent: 1, failed: 2 } as const

/**
 * Asks Twilio what became of a message or call: by its id where that is known, else by looking through what this
 * recipient has got since the claim. Never rejects: without an answer the outcome stays `unknown`.
 */
export function createLookUp(parts: {
  readonly client: TwilioClient
  /** The number from which calls are made. */
  readonly caller: string | null
  readonly own: OwnResources
  readonly receipts: Receipts
  readonly now: () => number
  readonly log: Log
}): (text: TextNotification) => Promise<AttemptOutcome> {
  const { client, caller, own, receipts, now, log } = parts

  const outcome = (kind: Kind, resource: Resource): AttemptOutcome => {
    const ageMs = resource.createdAt === null ? 0 : now() + client.aheadMs() - resource.createdAt
    return outcomeFrom(kind, resource, askAfter(receipts, ageMs))
  }

  async function find(text: TextNotification): Promise<Resource | null> {
    const { attemptId, claimedAt, to, token, timeoutMs } = text
    const kind = kindOf(text)
    if (kind === 'call' && caller === null) return null
    const listed =
      kind === 'message' ? await client.messagesTo(to, timeoutMs) : await client.callsTo(to, caller ?? '', timeoutMs)
    // By Twilio's clock, as the header of this very answer has it.
    const since = own.openSince(attemptId, claimedAt) + client.aheadMs() - CLOCK_TOLERANCE_MS
    const isIts = ({ sid, body, createdAt }: Resource): boolean =>
      !own.isOfAnother(sid, attemptId) &&
      !text.otherRefs.includes(sid) &&
      // A text is told by its link too; a call without a time might be anybody's.
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
      const found = providerRef === null ? await find(text) : await client.fetch(kindOf(text), providerRef, timeoutMs)
      if (found !== null) {
        own.took(attemptId, found.sid)
        return outcome(kindOf(text), found)
      }
    } catch (error) {
      log.warn({ incidentId, attemptId, channel, fault: faultOf(error) }, 'could not ask Twilio about an attempt')
      if (providerRef !== null) return { kind: 'unknown' }
      const open = own.leftOpenBy(attemptId)
      // Twilio said that it did not take the text, and cannot be asked whether that is so: a 5xx is tried again
      // (rules.md#unknown-outcomes).
      if (channel === 'sms' && open?.isAnswered) return { kind: 'failed', error: open.error, retryable: true }
      // Somebody who is not allowed to look, or a gateway that has no lists: that will not be different in ten seconds.
      return isRefusal(error) ? { kind: 'not_found', error: open?.error ?? NO_ANSWER } : { kind: 'unknown' }
    }
    // Twilio does not have it: a text that an answer left open is known to have failed. A call is repeated at
    // once, and only once.
    const open = channel === 'sms' ? own.leftOpenBy(attemptId) : null
    return open === null ? { kind: 'not_found' } : { kind: 'failed', error: open.error, retryable: true }
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof RequestFailed) || error.failure.kind !== 'refused') return false
  const { status } = error.failure
  return status >= 400 && status < 500 && status !== 429
}
