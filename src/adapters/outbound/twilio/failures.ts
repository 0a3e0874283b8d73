import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { httpFailureText } from '../http/http-failure.ts'
import type { RequestFailure } from './request-client.ts'

/** Codes of Twilio's error dictionary that say: nobody has this number, or it takes no texts. */
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
 * Codes that are about the account, the sender or the moment, not about this message: worth another try, as
 * somebody may mend them or they pass by themselves. Every other code with which a request is refused ends
 * the same way next time.
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

/** The status callback of a request was refused, and the request with it. */
export const BAD_CALLBACK = 21609

/** The text for a code of Twilio's error dictionary. rules.md#failure-texts. */
export const errorText = (code: number): string =>
  INVALID_NUMBER.has(code) ? 'invalid number' : `provider error ${code}`

/** 20001 to 20999: credentials, the account, too many requests, Twilio itself. */
const isAboutTheAccount = (code: number): boolean => code > 20_000 && code < 21_000

/** Whether a request that was refused with this code would be refused again, whoever mends what. */
const isPermanent = (code: number): boolean => !PASSING.has(code) && !isAboutTheAccount(code)

/** The account has sent what it may send today. Comes with 429, but there is no point in waiting for it. */
const DAILY_LIMIT = 63038

/** What a failed request to create something says of the attempt. Design: a claimed attempt without an outcome. */
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
  // Somewhere behind the answer it may have been taken all the same.
  if (status >= 500) return { kind: 'unknown', refused: httpFailureText(status) }
  if (status === 429 && code !== DAILY_LIMIT) {
    const waits = retryAfterMs === null ? {} : { retryAfterMs }
    return { kind: 'failed', error: httpFailureText(status), retryable: true, ...waits }
  }
  // Without a code it is not Twilio that answers: a gateway on the way, which somebody may mend.
  if (code === null) return { kind: 'failed', error: httpFailureText(status), retryable: true }
  return { kind: 'failed', error: errorText(code), retryable: !isPermanent(code) }
}

/**
 * What left an attempt open, should it turn out not to have been taken: the text, and whether Twilio answered at all.
 */
export const whyOpen = (failure: RequestFailure): { readonly error: string; readonly isAnswered: boolean } =>
  failure.kind === 'refused'
    ? { error: httpFailureText(failure.status), isAnswered: true }
    : { error: failure.error, isAnswered: false }
