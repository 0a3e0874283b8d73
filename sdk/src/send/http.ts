import type { Answer } from './answer.ts'
import { errorOf } from './answer.ts'
import { retryAfterMs } from './backoff.ts'
import { anyOf, gone, timeOut } from './rest.ts'

export type Identity = {
  /** The address of the service: `https://sos.example.org`. */
  readonly url: string
  readonly appId: string
  /** Your own id of the user. */
  readonly userId: string
  /** From your backend. A function is called again when the service refuses its value. */
  readonly userHash: string | (() => string | Promise<string>)
}

/** The device's own clock, epoch ms. */
export type Now = () => number
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

const TIMEOUT_MS = 15_000
/** A clock that is off by less is right enough: the service tolerates 5 min. rules.md#event-time. */
const CLOCK_OFF_MS = 120_000
/** The two clocks of a device run apart by more only if one of them was set. */
const CLOCK_SET_MS = 2_000

/** Header values are bytes; ids are UTF-8. */
const asHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

/** Requests with the user's identity. */
export class Http {
  readonly identity: Identity
  readonly #fetch: Fetch
  readonly #wall: Now
  #hash: Promise<string> | null = null
  #clock: { readonly aheadMs: number; readonly wall: number; readonly steady: number } | null = null

  constructor(identity: Identity, fetch: Fetch, now: Now = Date.now) {
    this.identity = { ...identity, url: identity.url.replace(/\/+$/, '') }
    this.#fetch = fetch
    this.#wall = () => now()
  }

  /** Rejects where your backend has none to give. */
  hash(): Promise<string> {
    const { userHash } = this.identity
    this.#hash ??= Promise.resolve(typeof userHash === 'string' ? userHash : userHash())
    const asked = this.#hash
    asked.catch(() => this.forget(asked))
    return asked
  }

  /** The hash was refused: the next one is asked for anew. */
  forget(hash: Promise<string> | null = this.#hash): void {
    if (this.#hash === hash) this.#hash = null
  }

  /** A response with the identity's headers; 401 has it ask for the hash again, once. Rejects without one. */
  async respond(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const { url, appId, userId } = this.identity
    for (let tries = 0; ; tries += 1) {
      const hash = this.hash()
      const headers = {
        'x-app-id': appId,
        'x-user-id': asHeader(userId),
        authorization: `Bearer ${await this.#inTime(hash, init.signal)}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string>),
      }
      const sent = this.#wall()
      const response = await this.#fetch(url + path, { ...init, method, headers, cache: 'no-store', redirect: 'error' })
      this.#compareClocks(response, sent)
      if (response.status !== 401) return response
      this.forget(hash)
      if (tries > 0 || typeof this.identity.userHash === 'string') return response
      await response.body?.cancel()
    }
  }

  /** A backend that never answers must not hold up attempts for ever: the next one asks again. */
  async #inTime(hash: Promise<string>, signal: AbortSignal | null | undefined): Promise<string> {
    const got = signal == null ? hash : await Promise.race([hash, gone(signal)])
    if (got !== undefined) return got
    this.forget(hash)
    throw new Error('your backend gave no user hash in time')
  }

  /** Null: there was no answer, or none in time. Never rejects. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer | null> {
    const timeout = timeOut(TIMEOUT_MS)
    try {
      const response = await this.respond(method, path, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(headers !== undefined && { headers }),
        signal: signal === undefined ? timeout : anyOf(signal, timeout),
      })
      const text = await response.text()
      const asked = retryAfterMs(response.headers.get('retry-after'), this.now())
      return { status: response.status, body: jsonIn(text), retryAfterMs: asked }
    } catch {
      return null
    }
  }

  /**
   * This moment, epoch ms: by the device's clock, or by the service's while that is known to be minutes away. An event
   * time ahead of its arrival would make each repeat of a press another press. rules.md#event-time.
   */
  now(): number {
    const wall = this.#wall()
    if (this.#clock === null) return wall
    const { aheadMs, wall: then, steady } = this.#clock
    if (Math.abs(wall - then - (performance.now() - steady)) > CLOCK_SET_MS) this.#clock = null
    return this.#clock === null || Math.abs(aheadMs) < CLOCK_OFF_MS ? wall : wall - aheadMs
  }

  /** Whether an event time is one by the service's clock: then the same press again is a repeat. */
  get knowsClock(): boolean {
    this.now()
    return this.#clock !== null
  }

  /** A sign-in page of a hotel must not move the clock: the service's answers, and few others, have a request id. */
  #compareClocks({ headers }: Response, sent: number): void {
    const theirs = headers.has('x-request-id') ? Date.parse(headers.get('date') ?? '') : Number.NaN
    const wall = this.#wall()
    if (!Number.isNaN(theirs) && wall - sent < 5_000 && wall >= sent)
      this.#clock = { aheadMs: sent - theirs, wall, steady: performance.now() }
  }
}

function jsonIn(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** An answer that is a refusal. `status` 0: there was none. `code`: `E_SDK_…`. */
export class TocsinError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: readonly { readonly field: string; readonly message: string }[]
  readonly retryAfterMs: number

  constructor(answer: Answer | null) {
    const error = answer === null ? null : errorOf(answer.body)
    const code = error?.code ?? (answer === null ? 'no_network' : 'not_the_service')
    super(answer === null ? 'No answer came from the service.' : `The service answered ${answer.status}, ${code}.`)
    this.name = 'TocsinError'
    this.status = answer?.status ?? 0
    this.code = code
    this.fields = error?.fields ?? []
    this.retryAfterMs = answer?.retryAfterMs ?? 0
  }
}
