import { MINUTE } from '../../lib/durations.ts'

/**
 * How many reports of one tracker are taken in a minute; `max` 0: any number. Each tracker has its own count, so that a
 * token somebody has found takes nothing of the owner's phone or other trackers. The counts are of trackers that were
 * heard in that minute, and start anew with the next. rules.md#flags.
 */
export class ReportLimit {
  readonly #max: number
  readonly #taken = new Map<string, number>()
  #since = Number.NEGATIVE_INFINITY

  constructor(max: number) {
    this.#max = max
  }

  /** Whether one more is within the bound at `now` (epoch ms). A clock that was set begins a new minute. */
  takes(deviceId: string, now: number): boolean {
    if (this.#max === 0) return true
    if (Math.abs(now - this.#since) >= MINUTE) {
      this.#since = now
      this.#taken.clear()
    }
    const taken = this.#taken.get(deviceId) ?? 0
    if (taken >= this.#max) return false
    this.#taken.set(deviceId, taken + 1)
    return true
  }
}
