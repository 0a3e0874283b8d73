import { SECOND } from '../../lib/durations.ts'

/** How long an incident is left alone after a claim found it busy. */
const REST_MS = 50
/** How late something must be before its claim waits. */
const LATE_MS = SECOND
/** The most claims that wait. They do not wait behind each other, so a claim is at most one wait old when made. */
const MAX_WAITING = 2

/**
 * Incidents that others were changing when one of their attempts was to be claimed. Each is retried, and once it is
 * late the claim waits for it, so that endless changes cannot hold back its messages. Nothing else waits meanwhile.
 * Moments are epoch ms.
 */
export class BusyIncidents {
  /** Until when each is left alone, in the order of that time. */
  readonly #resting = new Map<string, number>()
  readonly #waiting = new Map<string, Promise<void>>()

  /** Whether to leave it alone for now. */
  has(incidentId: string, now: number): boolean {
    const until = this.#resting.get(incidentId) ?? now
    // Absolute, so that after the clock was set back none is left alone for long.
    return this.#waiting.has(incidentId) || (until > now && until - now <= REST_MS)
  }

  /** Leaves it alone for a moment. Returns until when. */
  add(incidentId: string, now: number): number {
    for (const [id, until] of this.#resting) {
      if (until > now && until - now <= REST_MS) break
      this.#resting.delete(id)
    }
    this.#resting.delete(incidentId)
    this.#resting.set(incidentId, now + REST_MS)
    return now + REST_MS
  }

  /** Makes a claim that waits, if it is late and there is room; else returns false. `claim` must not reject. */
  waits(incidentId: string, lateMs: number, claim: () => Promise<void>): boolean {
    if (lateMs < LATE_MS || this.#waiting.size >= MAX_WAITING) return false
    this.#waiting.set(
      incidentId,
      claim().finally(() => this.#waiting.delete(incidentId)),
    )
    return true
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Resolves when the claims that wait now have been made, or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting.values())
  }
}
