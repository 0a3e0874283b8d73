/** Kinds of failure for metrics: few, and distinguished by what an operator would do about them. */
export const failureKinds = [
  'timeout',
  'unreachable',
  'name_not_found',
  'certificate',
  'blocked_address',
  'rate_limited',
  'http_4xx',
  'http_5xx',
  'smtp_4xx',
  'smtp_5xx',
  'invalid_number',
  'provider_error',
  'busy',
  'setup',
  'other',
] as const
export type FailureKind = (typeof failureKinds)[number]

/** The fixed failure texts (rules.md#failure-texts). */
const kinds: Readonly<Record<string, FailureKind>> = {
  'connection timeout': 'timeout',
  'connection refused': 'unreachable',
  'connection reset': 'unreachable',
  'connection failed': 'unreachable',
  'network unreachable': 'unreachable',
  'name not found': 'name_not_found',
  'certificate not accepted': 'certificate',
  'blocked address': 'blocked_address',
  'rate limited (HTTP 429)': 'rate_limited',
  'too many mails': 'rate_limited',
  'invalid number': 'invalid_number',
  'unconfirmed abroad': 'setup',
  'provider busy': 'busy',
  'modem timeout': 'timeout',
  'modem down': 'unreachable',
  'modem error': 'provider_error',
  'login refused': 'setup',
  'no encryption offered': 'setup',
  'spool full': 'setup',
  'spool missing': 'setup',
  'spool not writable': 'setup',
}

/** Failure texts with a status, a code or further detail. */
const patterns: readonly (readonly [RegExp, FailureKind])[] = [
  [/^upstream HTTP 4\d\d$/, 'http_4xx'],
  [/^upstream HTTP 5\d\d$/, 'http_5xx'],
  [/^upstream SMTP 4\d\d$/, 'smtp_4xx'],
  [/^upstream SMTP 5\d\d$/, 'smtp_5xx'],
  [/^provider error/, 'provider_error'],
  [/^no provider /, 'setup'],
]

/** The kind of a failure text; `other` if neither table has it. */
export const failureKind = (error: string): FailureKind =>
  (Object.hasOwn(kinds, error) ? kinds[error] : patterns.find(([pattern]) => pattern.test(error))?.[1]) ?? 'other'
