import { BoundedMap } from '../../../lib/bounded-map.ts'

/** The most attempts and ids kept. Beyond it the oldest is dropped, and only the store's record remains. */
const MAX_KEPT = 10_000

/**
 * The reason why it is unknown whether Twilio accepted an attempt: `error`, if it did not, and whether Twilio responded
 * at all.
 */
type Why = { readonly error: string; readonly isAnswered: boolean }

/**
 * Remembers this process's requests to Twilio beyond what the store records. Two attempts may involve the same two
 * numbers, and a call at Twilio does not say which attempt it was for.
 */
export class OwnResources {
  readonly #attempts = new BoundedMap<string, string>(MAX_KEPT)
  readonly #open = new BoundedMap<string, Why & { readonly since: number }>(MAX_KEPT)

  /** Twilio has accepted this attempt under this id. */
  took(attemptId: string, sid: string): void {
    this.#attempts.set(sid, attemptId)
    this.#open.delete(attemptId)
  }

  /** It is unknown whether Twilio has accepted the attempt. */
  leftOpen(attemptId: string, since: number, why: Why): void {
    this.#open.set(attemptId, { ...why, since: this.openSince(attemptId, since) })
  }

  isOfAnother(sid: string, attemptId: string): boolean {
    return (this.#attempts.get(sid) ?? attemptId) !== attemptId
  }

  /** Epoch ms from which Twilio may have it: the first open try, which may be older than the last claim. */
  openSince(attemptId: string, claimedAt: number): number {
    return Math.min(claimedAt, this.#open.get(attemptId)?.since ?? claimedAt)
  }

  /** The wall clock was set by `byMs`. */
  shift(byMs: number): void {
    for (const [attemptId, open] of [...this.#open]) this.#open.set(attemptId, { ...open, since: open.since + byMs })
  }

  /** The reason why the last try stayed open, or null if this process left none open. */
  leftOpenBy(attemptId: string): Why | null {
    return this.#open.get(attemptId) ?? null
  }
}
