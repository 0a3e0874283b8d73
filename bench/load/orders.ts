import type { Identity } from './frames.ts'

/** What the load generator is told. Times in milliseconds. */
export type Order =
  | {
      /**
       * Closed loop: every connection keeps `inFlight` publishes unacknowledged. Counts after
       * `warmUpMs`, for `measureMs`.
       */
      readonly kind: 'saturate'
      readonly port: number
      readonly identities: readonly Identity[]
      readonly inFlight: number
      readonly warmUpMs: number
      readonly measureMs: number
    }
  | {
      /**
       * Open loop: `perSecond` publishes whatever the answers, in bursts of `burst` on one connection after the
       * other, until `stop`.
       */
      readonly kind: 'pace'
      readonly port: number
      readonly identities: readonly Identity[]
      readonly perSecond: number
      readonly burst: number
    }
  | { readonly kind: 'stop' }

/** `sent` and `acknowledged`: since the order, warm-up included. The other figures: of the measured time alone. */
export type Result = {
  readonly sent: number
  readonly acknowledged: number
  readonly measured: number
  readonly seconds: number
  /** Of the generator itself. */
  readonly cpuSeconds: number
  /** Publishes that could not be sent in time because the connection had no place left for them. */
  readonly withheld: number
}

export type Report =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly reason: string }
