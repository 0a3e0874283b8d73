import type { Identity } from './frames.ts'
import type { Message } from './messages.ts'

/** The orders to the load generator. Times in milliseconds. */
export type Order =
  | {
      /**
       * Closed loop: every connection keeps `inFlight` publishes unacknowledged. Counts after `warmUpMs`, for
       * `measureMs` or until `stop`.
       */
      readonly kind: 'saturate'
      readonly port: number
      readonly identities: readonly Identity[]
      readonly inFlight: number
      readonly warmUpMs: number
      readonly measureMs: number
      /** Typical telemetry if left out. */
      readonly message?: Message
    }
  | {
      /**
       * Open loop: `perSecond` publishes regardless of the answers, in bursts of `burst` on one connection after
       * another, until `stop`.
       */
      readonly kind: 'pace'
      readonly port: number
      readonly identities: readonly Identity[]
      readonly perSecond: number
      readonly burst: number
      readonly message?: Message
    }
  | { readonly kind: 'stop' }

/**
 * `sent` and `acknowledged` count from the order on, including the warm-up. The other figures cover the measured time
 * only.
 */
export type Result = {
  readonly sent: number
  readonly acknowledged: number
  readonly measured: number
  readonly seconds: number
  /** Of the generator itself. */
  readonly cpuSeconds: number
  /** Publishes not sent in time because the connection had no free place for them. */
  readonly withheld: number
}

export type Report =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly reason: string }
