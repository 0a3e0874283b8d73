import { MINUTE, SECOND } from '../../../lib/durations.ts'

/** The failure text of an HTTP response other than 2xx (rules.md#failure-texts). */
export const httpFailureText = (status: number): string =>
  status === 429 ? 'rate limited (HTTP 429)' : `upstream HTTP ${status}`

export const isHttpSuccess = (status: number): boolean => status >= 200 && status < 300

/** A service may ask us to wait, but not for longer than an alarm can afford. */
const MAX_RETRY_AFTER_MS = 5 * MINUTE

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Reads `Retry-After`, in seconds or as a date. Returns milliseconds, from 0 to `maxMs`, or null without a readable
 * one.
 */
export function retryAfterMs(headers: Headers, now: number, maxMs: number = MAX_RETRY_AFTER_MS): number | null {
  const bounded = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), maxMs)
  const value = String(headers['retry-after'] ?? '').trim()
  if (value === '') return null
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * SECOND)
  // Every form of an HTTP date starts with a weekday; `Date.parse` alone would read "-5" as a year.
  const at = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return null
  // Relative to the response's own date, if it has one: the two clocks may disagree.
  const theirs = Date.parse(String(headers.date ?? ''))
  return bounded(at - (Number.isNaN(theirs) ? now : theirs))
}

/** Codes of sockets, name look-ups, TLS and undici, as texts of rules.md#failure-texts. */
const texts: Readonly<Record<string, string>> = {
  E_BLOCKED_ADDRESS: 'blocked address',
  ETIMEDOUT: 'connection timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connection timeout',
  UND_ERR_HEADERS_TIMEOUT: 'connection timeout',
  UND_ERR_BODY_TIMEOUT: 'connection timeout',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection reset',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name not found',
  ENODATA: 'name not found',
  EHOSTUNREACH: 'network unreachable',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network unreachable',
  EADDRNOTAVAIL: 'network unreachable',
}

const BAD_CERTIFICATE = 'certificate not accepted'
/** For anything that is neither in the table nor about the certificate. */
const OTHER_FAILURE = 'connection failed'

/** Whether a text leaves the cause open, so that the log should record the kind of error. */
export const leavesCauseOpen = (text: string): boolean => text === BAD_CERTIFICATE || text === OTHER_FAILURE

/** The failure text (rules.md#failure-texts) for any error that a call throws. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return OTHER_FAILURE
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'connection timeout'
  const code = codeOf(error)
  const known = texts[code]
  if (known !== undefined) return known
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return BAD_CERTIFICATE
  // Every address of the name failed; report the first.
  if (error instanceof AggregateError && error.errors.length > 0) return failureText(error.errors[0])
  return error.cause === undefined ? OTHER_FAILURE : failureText(error.cause)
}

/** The code of an error of sockets, name look-ups, TLS or undici, or an empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Whether the address guard refused the connection. */
export const isBlockedFailure = (error: unknown): boolean => failureText(error) === texts.E_BLOCKED_ADDRESS
