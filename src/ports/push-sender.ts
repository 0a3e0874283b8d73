import type { PushTarget } from '../core/account/push-subscription.ts'

/** The key pair that names this site to push services, base64url. */
export type PushKeys = { readonly publicKey: string; readonly privateKey: string }

/**
 * One message. `payload`: encrypted for the browser alone. `ttlSeconds`: how long the push service keeps it for a
 * device that is out of reach. `topic`: it replaces an undelivered one of the same topic.
 */
type PushMessage = {
  readonly payload: string
  readonly ttlSeconds: number
  readonly topic: string
  readonly about: { readonly channel: 'push'; readonly deviceId: string }
}

/** `gone`: the subscription has ended for good. `refused`: the push service will not take this message. */
export type PushOutcome =
  | { readonly kind: 'sent' | 'gone' | 'refused' }
  | { readonly kind: 'unreachable'; readonly retryAfterMs: number | null }

/** Web Push (RFC 8030), to people's and to operators' browsers alike. Never rejects. */
export type PushSender = {
  send(keys: PushKeys, target: PushTarget, message: PushMessage): Promise<PushOutcome>
  /** A new key pair. */
  newKeys(): PushKeys
  /** Ends every connection, including calls in flight. */
  close(): Promise<void>
}
