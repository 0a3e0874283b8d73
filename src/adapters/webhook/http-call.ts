import { Agent, request } from 'undici'
import { MINUTE, SECOND } from '../../core/event-time.ts'
import type { HttpCaller } from '../../ports/http-caller.ts'
import type { Log } from '../../ports/log.ts'
import { BLOCKED, guardedConnector, type Resolve } from './address-guard.ts'

/** To one target at once: a burst of incidents must not open a thousand sockets on somebody's small gateway. */
const CONNECTIONS_PER_ORIGIN = 64
/** An answer's body tells us nothing; it is read so far that the connection can be used again. */
const BODY_LIMIT_BYTES = 64 * 1024
/** A service may ask for patience, but not for an alarm's whole worth. */
const LONGEST_RETRY_AFTER_MS = 5 * MINUTE

/**
 * Calls other people's HTTP endpoints: keep-alive, no redirect followed, HTTP/1.1. `guarded`: refuse addresses that are not public. `now`:
 * epoch ms.
 */
export function createHttpCaller(parts: {
  readonly guarded: boolean
  readonly resolve: Resolve
  readonly now: () => number
  readonly log: Log
}): HttpCaller {
  const { guarded, resolve, now, log } = parts
  const agent = new Agent({
    connect: guarded ? guardedConnector(resolve) : guardedConnector(resolve, null),
    connections: CONNECTIONS_PER_ORIGIN,
    // One deadline covers the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async post({ url, body, headers = {}, timeoutMs, about }) {
      try {
        const deadline = AbortSignal.timeout(timeoutMs)
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agent,
          signal: deadline,
          headers: { 'content-type': 'application/json', 'user-agent': 'tocsin', ...credentials(url), ...headers },
          body,
        })
        // The head decides; what follows is drained aside, within the same deadline and a limit.
        answer.body.dump({ limit: BODY_LIMIT_BYTES, signal: deadline }).catch(() => {})
        return { kind: 'answered', status: answer.statusCode, retryAfterMs: retryAfterMs(answer.headers, now()) }
      } catch (error) {
        const text = failureText(error)
        // Its kind alone: messages and addresses of integrations hold their secrets.
        if (unusual.includes(text)) log.warn({ ...about, fault: kindOf(error) }, `a call failed: ${text}`)
        return { kind: 'unreached', error: text }
      }
    },
    close: () => agent.destroy(),
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** `Retry-After` in seconds or as a date, in milliseconds from 0 to the longest that we wait. Null without a readable one. */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = String(headers['retry-after'] ?? '').trim()
  if (value === '') return null
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * SECOND)
  // Every form of an HTTP date begins with a weekday; Date.parse alone sees a year in "-5".
  const at = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return null
  // The answer's own date, where it has one: our clock and theirs need not agree.
  const theirs = Date.parse(String(headers.date ?? ''))
  return bounded(at - (Number.isNaN(theirs) ? now : theirs))
}

const bounded = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), LONGEST_RETRY_AFTER_MS)

/** User and password in an address are sent the way they are meant. */
function credentials(url: string): { authorization?: string } {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` }
}

/** Codes of sockets, name lookups, TLS and undici, in the words of Decisions 4. */
const texts: Readonly<Record<string, string>> = {
  [BLOCKED]: 'blocked address',
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
/** For what is neither in the table nor about the certificate. */
const OTHER_FAILURE = 'connection failed'
/** Texts that leave open what is wrong: the log has the kind of fault. */
const unusual: readonly string[] = [BAD_CERTIFICATE, OTHER_FAILURE]

/** The text of Decisions 4 for whatever a call threw. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return OTHER_FAILURE
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'connection timeout'
  const code = codeOf(error)
  const known = texts[code]
  if (known !== undefined) return known
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return BAD_CERTIFICATE
  // Every address of the name failed: the first tells.
  if (error instanceof AggregateError && error.errors.length > 0) return failureText(error.errors[0])
  return error.cause === undefined ? OTHER_FAILURE : failureText(error.cause)
}

const kindOf = (error: unknown): string => codeOf(error) || (error instanceof Error ? error.name : typeof error)

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
