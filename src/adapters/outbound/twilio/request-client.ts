import type { Dispatcher } from 'undici'
import { Agent, request } from 'undici'
import { SECOND } from '../../../lib/durations.ts'
import { deadlineOf, refuseIfOver } from '../http/deadline.ts'
import { noticingFirstByte } from '../http/first-byte.ts'
import { failureText, isHttpSuccess, retryAfterMs } from '../http/http-failure.ts'

/** Long enough for a satellite link. A provider unreachable by then is passed over for the next one. */
const CONNECT_TIMEOUT_MS = 5 * SECOND
/** Ten times the size of a list of a hundred long texts. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** How a request to Twilio failed. */
export type RequestFailure =
  /** Nothing has left this machine, so Twilio has not accepted it. */
  | { readonly kind: 'not_sent'; readonly error: string }
  /** It was sent, but there is no response to tell its result. */
  | { readonly kind: 'unsure'; readonly error: string }
  /** The response is not a 2xx. `code`: from Twilio's error dictionary, null if the response has none. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: number | null
      readonly retryAfterMs: number | null
    }

export class RequestFailed extends Error {
  readonly failure: RequestFailure

  constructor(failure: RequestFailure, cause?: unknown) {
    super(`a request to Twilio failed: ${failure.kind}`, { cause })
    this.failure = failure
  }
}

/** The log text of a failed request; nothing from its contents. */
export function faultOf(error: unknown): string {
  if (!(error instanceof RequestFailed)) return error instanceof Error ? error.name : typeof error
  const { failure } = error
  return failure.kind === 'refused' ? `HTTP ${failure.status}, code ${failure.code ?? 'none'}` : failure.error
}

/** The part of the HTTP client interface of Twilio's package that messages and calls use. */
type Asked = {
  readonly method: string
  readonly uri: string
  readonly username?: string
  readonly password?: string
  readonly headers?: object
  readonly params?: object
  readonly data?: object
}
type Answered = { readonly statusCode: number; readonly body: unknown; readonly headers: unknown }

type RequestClient = { request(asked: Asked): Promise<Answered> }

/** The connections to Twilio: keep-alive, HTTP/1.1, no redirects, and no host but `baseUrl`. */
export type TwilioTransport = {
  /**
   * An HTTP client for Twilio's package. `timeoutMs` covers everything from connecting to the last byte of the
   * response, `leftMs` what is written (as in `Notification`).
   */
  client(timeoutMs: number, leftMs?: () => number): RequestClient
  /** How far Twilio's clock is ahead of ours (ms), as of the last response. */
  aheadMs(): number
  /** Ends every connection, including requests in progress. */
  close(): Promise<void>
}

export type TransportNeeds = {
  /** Replaces Twilio's own host and may include a path. */
  readonly baseUrl: string
  /** The most requests in flight. Others wait for one of them to end, and their time-out runs meanwhile. */
  readonly requestsAtOnce: number
  /** Epoch ms. */
  readonly now: () => number
}

/** Requests that fail in any way, including a response other than 2xx, reject with `RequestFailed`. */
export function createTwilioTransport({ baseUrl, requestsAtOnce, now }: TransportNeeds): TwilioTransport {
  const agent = new Agent({
    connections: requestsAtOnce,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    // A single protocol with known failures.
    allowH2: false,
    // One deadline covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  let aheadMs = 0

  async function ask(asked: Asked, timeoutMs: number, leftMs?: () => number): Promise<Answered> {
    let written = false
    const dispatcher = agent.compose(
      noticingFirstByte(() => {
        refuseIfOver(leftMs)
        written = true
      }),
    )
    try {
      const answer = await request(addressOf(baseUrl, asked), {
        dispatcher,
        method: asked.method.toUpperCase() as Dispatcher.HttpMethod,
        signal: deadlineOf(timeoutMs, leftMs),
        headers: headersOf(asked),
        body: asked.data === undefined ? null : formOf(asked.data).toString(),
      })
      const { statusCode, headers } = answer
      const text = await answer.body.text()
      aheadMs = differenceTo(headers.date, now()) ?? aheadMs
      const body = parsed(text)
      if (!isHttpSuccess(statusCode)) {
        throw new RequestFailed({
          kind: 'refused',
          status: statusCode,
          code: codeIn(body),
          retryAfterMs: retryAfterMs(headers, now()),
        })
      }
      // Something between us and Twilio: a captive portal, or a proxy's own page.
      if (body === null) throw new RequestFailed({ kind: 'unsure', error: 'connection failed' })
      return { statusCode, headers, body }
    } catch (error) {
      if (error instanceof RequestFailed) throw error
      throw new RequestFailed({ kind: written ? 'unsure' : 'not_sent', error: failureText(error) }, error)
    }
  }

  return {
    client: (timeoutMs, leftMs) => ({ request: (asked) => ask(asked, timeoutMs, leftMs) }),
    aheadMs: () => aheadMs,
    close: () => agent.destroy(),
  }
}

function addressOf(baseUrl: string, { uri, params }: Asked): string {
  const { pathname, search } = new URL(uri)
  const query = params === undefined ? '' : formOf(params).toString()
  return baseUrl + pathname + search + (query && (search === '' ? '?' : '&') + query)
}

function headersOf({ headers = {}, username, password }: Asked): Record<string, string> {
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  return { ...headers, authorization: `Basic ${credentials}` }
}

/** Encodes like Twilio's own client: a list becomes a repeated name. */
function formOf(fields: object): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) form.append(name, String(one))
    }
  }
  return form
}

function parsed(text: string): object | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' ? body : null
  } catch {
    return null
  }
}

const codeIn = (body: object | null): number | null =>
  body !== null && 'code' in body && Number.isInteger(body.code) ? Number(body.code) : null

function differenceTo(date: string | string[] | undefined, now: number): number | null {
  const theirs = Date.parse(String(date ?? ''))
  return Number.isNaN(theirs) ? null : theirs - now
}
