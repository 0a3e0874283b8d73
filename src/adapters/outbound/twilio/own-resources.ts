/**
 * Attempts and ids at most: beyond that the oldest is forgotten, and what is known of it is only what the store has.
 */
const MAX_KEPT = 10_000

/**
 * Why nobody knows whether Twilio has taken an attempt: `error`, should it turn out not to have, and whether
 * Twilio answered at all.
 */
type Why = { readonly error: string; readonly isAnswered: boolean }

/**
 * What this process remembers of what it has asked Twilio for, beyond what the store has. Two attempts may be about the
 * same two numbers, and a call at Twilio does not say which of them it was for.
 */
export class OwnResources {
  readonly #attempts = new Map<string, string>()
  readonly #open = new Map<string, Why & { readonly since: number }>()

  /** Twilio has taken this attempt under this id. */
  took(attemptId: string, sid: string): void {
    keep(this.#attempts, sid, attemptId)
    this.#open.delete(attemptId)
  }

  /** Nobody knows whether Twilio has taken it. */
  leftOpen(attemptId: string, since: number, why: Why): void {
    keep(this.#open, attemptId, { ...why, since: this.openSince(attemptId, since) })
  }

  isOfAnother(sid: string, attemptId: string): boolean {
    return (this.#attempts.get(sid) ?? attemptId) !== attemptId
  }

  /**
   * Epoch ms since when Twilio may have it: the first try that was left open, which may be longer ago
   * than the last claim.
   */
  openSince(attemptId: string, claimedAt: number): number {
    return Math.min(claimedAt, this.#open.get(attemptId)?.since ?? claimedAt)
  }

  /** The wall clock was set by `byMs`. */
  shift(byMs: number): void {
    for (const [attemptId, open] of this.#open) this.#open.set(attemptId, { ...open, since: open.since + byMs })
  }

  /** Why the last try was left open, or null where this process has left nothing open. */
  leftOpenBy(attemptId: string): Why | null {
    return this.#open.get(attemptId) ?? null
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  // A Map remembers its order: the first one is the oldest.
  if (map.size > MAX_KEPT) map.delete(map.keys().next().value!)
}
