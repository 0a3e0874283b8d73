/**
 * One POST to a foreign HTTP endpoint. `timeoutMs` covers everything from the name look-up to the response headers.
 * `leftMs`: as in `Notification`.
 */
export type HttpCall = {
  readonly url: string
  readonly body: string | Uint8Array
  /** Lower-case names. Without a `content-type` the body is JSON. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly leftMs?: (() => number) | undefined
  /** The answer's body is wanted, up to 64 KiB of it. */
  readonly readsAnswer?: true
  /** Fields for the log: the attempt, or the tracker that a message is for. */
  readonly about:
    | { readonly channel: string; readonly incidentId: string; readonly attemptId: string }
    | { readonly channel: 'push'; readonly deviceId: string }
    | { readonly channel: 'downlink'; readonly server: string; readonly devEui: string }
}

/**
 * `error`: one of the short, stable texts of rules.md#failure-texts. `retryAfterMs`: the wait that the other side asked
 * for. `body`: where it was asked for; empty if it is longer. `written`: the request has begun to leave, so the other
 * side may have taken it. `stopped`: our own `close` ended the call; it may have been taken too.
 */
export type HttpAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null; readonly body?: string }
  | { readonly kind: 'unreached'; readonly error: string; readonly written: boolean }
  | { readonly kind: 'stopped' }

/** Calls foreign HTTP endpoints. Never rejects: every possible end of a call is an answer. */
export type HttpCaller = {
  post(call: HttpCall): Promise<HttpAnswer>
  /** Ends every connection, including calls in flight. */
  close(): Promise<void>
}
