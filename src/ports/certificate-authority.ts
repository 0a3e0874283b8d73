/** A site's account at a CA. `url`: null until the CA knows it. `email`: the address that the CA has, or null. */
export type CaAccount = {
  readonly directory: string
  /** PEM. */
  readonly key: string
  readonly url: string | null
  readonly email: string | null
}

export type ChallengeKind = 'http-01' | 'dns-01'

/**
 * A proof that the CA asks for. `answer`: the body at `/.well-known/acme-challenge/{token}`, or for dns-01 the text of
 * the TXT record.
 */
export type Challenge = { readonly url: string; readonly token: string; readonly answer: string }

/** RFC 8555, 7.1.6. `pending` waits for us, `processing` for the CA. */
type CaStatus = 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'

/** `problem`: why it is invalid, as a sentence for the operator. `retryAfterMs`: as the CA asked. */
export type CaOrder = {
  readonly url: string
  readonly status: CaStatus
  readonly authorizations: readonly string[]
  readonly problem: string | null
  readonly retryAfterMs: number | null
}

/** `challenge`: of the kind that was asked for; null if the CA offers none. */
export type CaAuthorization = {
  readonly domain: string
  readonly status: CaStatus
  readonly challenge: Challenge | null
  readonly problem: string | null
  readonly retryAfterMs: number | null
}

/**
 * `not_ready`: this side is not ready, and nothing was asked of the CA. `unreachable`: no answer, or one that is not
 * ACME. `slow`: it has not decided in time. `rate_limited`: it wants to be left alone for a while. `refused`: it said
 * no, and would again.
 */
export type CaFailure = 'not_ready' | 'unreachable' | 'slow' | 'rate_limited' | 'refused'

/** A step at the CA failed. The message is a sentence for the operator. `retryAfterMs`: as the CA asked, or null. */
export class CaError extends Error {
  readonly kind: CaFailure
  readonly retryAfterMs: number | null

  constructor(kind: CaFailure, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'CaError'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** A CA under one account. Every method rejects with a `CaError`, within its time-out. */
export type CaSession = {
  order(domains: readonly string[]): Promise<CaOrder>
  /** The order as it is now. Null: the CA no longer knows it. */
  orderAt(url: string): Promise<CaOrder | null>
  authorization(url: string, kind: ChallengeKind): Promise<CaAuthorization>
  /** The answer to the challenge is in place: the CA may look. */
  respond(challenge: Challenge): Promise<void>
  /** `request`: PKCS #10 in DER. */
  finalize(orderUrl: string, request: Uint8Array): Promise<CaOrder>
  /** The chain in PEM, the site's certificate first. For an order that is valid. */
  certificate(orderUrl: string): Promise<string>
}

export type CertificateAuthority = {
  readonly directory: string
  /** A key for an account, in PEM. */
  newKey(): string
  /**
   * Opens the account, and makes it if the CA does not know it. `keep` stores each change of it before the next step.
   * `signal` aborts requests in progress.
   */
  session(account: CaAccount, keep: (account: CaAccount) => Promise<void>, signal: AbortSignal): Promise<CaSession>
}
