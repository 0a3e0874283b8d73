/**
 * One POST to somebody else's HTTP endpoint. `timeoutMs` covers everything from the name lookup to the answer's head.
 */
export type HttpCall = {
  readonly url: string
  readonly body: string
  /** Lower-case names. Without a `content-type` the body is JSON. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** What the log names. */
  readonly about: { readonly channel: string; readonly incidentId: string; readonly attemptId: string }
}

/**
 * `error`: one of the short, stable texts of rules.md#failure-texts. `retryAfterMs`: how much patience the other side
 * asked for. `written`: the request has begun to leave, so that the other side may have taken it. `stopped`: our own
 * `close` ended the call, which may have been taken too.
 */
export type HttpAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: 'unreached'; readonly error: string; readonly written: boolean }
  | { readonly kind: 'stopped' }

/** Calls HTTP endpoints of others. Never rejects: every way in which a call can end is an answer. */
export type HttpCaller = {
  post(call: HttpCall): Promise<HttpAnswer>
  /** Ends every connection, calls under way included. */
  close(): Promise<void>
}
