import type { AuditEntry } from '../core/operator/audit.ts'

/** Set while the clock is not believed. keeping.md#clock. */
export type ClockDoubt = {
  /** The last moment (epoch ms) at which it was believed; the clock is compared with it. */
  readonly believedMoment: number
  /** A report of synchronised time proves nothing, because the system gave it at the time of the jump too. */
  readonly needsOperator: boolean
}

export type ClockStore = {
  /**
   * `newestMoment`: the newest moment (epoch ms) at which the service stored anything, by its own clock; a clock that
   * shows an earlier time is wrong. 0 for an empty store. `doubt`: null while the clock is believed. `missesJump`: a
   * clock that nodes share has jumped, and this process has not followed yet: the record speaks of another time.
   */
  clockRecord(): Promise<{
    readonly newestMoment: number
    readonly doubt: ClockDoubt | null
    readonly missesJump?: true
  }>
  /** Sets the newest moment to `now` (epoch ms, by the service's clock), whatever it was before. */
  keepClock(now: number, doubt: ClockDoubt | null): Promise<void>
  /** The operator confirms that the clock is right at `now` (epoch ms). Leaves a notice. */
  acceptClock(now: number, audit: AuditEntry): Promise<void>
}
