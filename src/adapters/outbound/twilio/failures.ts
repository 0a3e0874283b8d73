import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { httpFailureText } from '../http/http-failure.ts'
import type { RequestFailure } from './request-client.ts'

/** Codes of Twilio's error dictionary for numbers that do not exist or cannot receive texts. */
const INVALID_NUMBER: ReadonlySet<number> = new Set([
  13223, // invalid phone number format
  13224, // invalid phone number
  13226, // invalid country code
  21211, // invalid 'To' number
  21217, // does not appear to be valid
  21401, // invalid phone number
  21421, // invalid phone number
  21614, // 'To' is not a valid mobile number
])

/**
 * Codes about the account, the sender or the moment rather than this message. They are retryable, because someone may
 * fix the cause, or it may pass. A request refused with any other code would be refused again.
 */
const PASSING: ReadonlySet<number> = new Set([
  10001, // account is not active
  10004, // too many calls at once
  14107, // too many messages
  21210, // 'From' is not verified
  21212, // invalid 'From'
  21213, // 'From' is missing
  21603, // 'From' is missing
  21606, // 'From' cannot send texts
  21609, // invalid status callback
  21611, // too many messages queued for this sender
  21659, // 'From' is not of this account
  21660, // 'From' is not of this account
  21661, // 'From' cannot send texts
  21701, // no such messaging service
  21703, // the messaging service has no senders
  21704, // the messaging service has no such sender
  21705, // invalid messaging service
  30001, // queue overflow
  30002, // account suspended
  30022, // carrier's rate limit
  30410, // carrier timed out
  30500, // internal failure
])

/** The request was refused because of its status callback. */
export const BAD_CALLBACK = 21609

/** The text for a code of Twilio's error dictionary (rules.md#failure-texts). */
export const errorText = (code: number): string =>
  INVALID_NUMBER.has(code) ? 'invalid number' : `provider error ${code}`

/** 20001 to 20999: credentials, the account, rate limits, Twilio itself. */
const isAboutTheAccount = (code: number): boolean => code > 20_000 && code < 21_000

/** Whether a request refused with this code would be refused again, whatever anyone fixes. */
const isPermanent = (code: number): boolean => !PASSING.has(code) && !isAboutTheAccount(code)

/** The account has reached its daily limit. Comes with 429, but waiting is pointless. */
const DAILY_LIMIT = 63038

/** The outcome of an attempt whose create request failed (rules.md#unknown-outcomes). */
export function attemptOutcomeOf(failure: RequestFailure): AttemptOutcome {
  switch (failure.kind) {
    case 'not_sent':
      return { kind: 'failed', error: failure.error, retryable: true }
    case 'unsure':
      return { kind: 'unknown' }
    case 'refused':
      return refusal(failure)
    default:
      return failure satisfies never
  }
}

function refusal({ status, code, retryAfterMs }: Extract<RequestFailure, { kind: 'refused' }>): AttemptOutcome {
  // Despite the error, the request may have been accepted upstream.
  if (status >= 500) return { kind: 'unknown', refused: httpFailureText(status) }
  if (status === 429 && code !== DAILY_LIMIT) {
    const waits = retryAfterMs === null ? {} : { retryAfterMs }
    return { kind: 'failed', error: httpFailureText(status), retryable: true, ...waits }
  }
  // Without a code the response is not Twilio's: it comes from a gateway in between, which someone may fix.
  if (code === null) return { kind: 'failed', error: httpFailureText(status), retryable: true }
  return { kind: 'failed', error: errorText(code), retryable: !isPermanent(code) }
}

/**
 * The reason why an attempt is open: the failure text, if it proves not to have been accepted, and whether Twilio
 * responded at all.
 */
export const whyOpen = (failure: RequestFailure): { readonly error: string; readonly isAnswered: boolean } =>
  failure.kind === 'refused'
    ? { error: httpFailureText(failure.status), isAnswered: true }
    : { error: failure.error, isAnswered: false }
