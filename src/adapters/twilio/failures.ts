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
 * Codes that are about the account, the sender or the moment, not about this message: worth another try, as somebody may mend them or
 * they pass by themselves. Every other code with which a request is refused ends the same way next time.
 */
const PASSING: ReadonlySet<number> = new Set([
  10001, // account is not active
  10004, // too many calls at once
  14107, // too many messages
  20001, // unknown parameters
  20003, // authentication failed
  20005, // account is not active
  20006, // access denied
  20008, // not with test credentials
  20010, // account is suspended
  20403, // forbidden account
  20404, // no such account
  20426, // upgrade required
  20429, // too many requests
  20500, // internal error
  20503, // service unavailable
  20504, // gateway timeout
  21210, // 'From' is not verified
  21212, // invalid 'From'
  21213, // 'From' is missing
  21603, // 'From' is missing
  21606, // 'From' cannot send texts
  21609, // invalid status callback
  21611, // too many messages queued for this sender
  21659, // 'From' is not of this account
  21660, // 'From' is not of this account
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

/** The text for a code of Twilio's error dictionary. Decisions 4, failure texts. */
export const errorText = (code: number): string =>
  INVALID_NUMBER.has(code) ? 'invalid number' : `provider error ${code}`

/** Whether a request that was refused with this code would be refused again, whoever mends what. */
export const isPermanent = (code: number): boolean => !PASSING.has(code)
