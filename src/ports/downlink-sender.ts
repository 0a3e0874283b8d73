import type { DownlinkRoute } from '../core/incident/downlink.ts'

/** One message for the tracker at the end of `route`. */
export type DownlinkMessage = {
  readonly route: DownlinkRoute
  readonly port: number
  readonly payload: Uint8Array
  /** A UUID: how we call it, so that a second try of it can be told from a second message. */
  readonly ref: string
  /** Epoch ms: after that the network server should drop it, if it supports that. */
  readonly expiresAt: number
}

/**
 * `ref`: the network server's name for it. `error`: a short, stable text. `retryable`: a retry may succeed. `mayWait`:
 * unknown whether it was accepted.
 */
export type Enqueued =
  | { readonly kind: 'queued'; readonly ref: string }
  | { readonly kind: 'failed'; readonly error: string; readonly retryable: boolean; readonly mayWait?: boolean }

/**
 * Puts messages into the queue of a network server, which sends them when the tracker listens: class A after its next
 * uplink, class C at once. Never rejects, and settles within `timeoutMs`.
 */
export type DownlinkSender = {
  enqueue(message: DownlinkMessage, timeoutMs: number): Promise<Enqueued>
  /** Withdraws outdated messages that wait there. Absent if the network server lets messages expire. */
  readonly flush?: (route: DownlinkRoute, timeoutMs: number) => Promise<boolean>
}
