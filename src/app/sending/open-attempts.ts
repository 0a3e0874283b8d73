import type { AttemptOutcome } from '../../core/incident/command.ts'

type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>

/** Attempts at most: beyond that the oldest is forgotten, which costs its next try only the order. */
const MAX_KEPT = 10_000

type Kept = {
  /**
   * By provider: how often nobody could tell whether it took the attempt, and the claim (epoch ms) at which that was
   * last so.
   */
  readonly leftOpen: Map<string, { readonly times: number; readonly at: number }>
  /** Providers that left the last try open. */
  readonly last: Set<string>
  /** The provider that may have taken it and has to be looked up. */
  lookedUpAt: string | null
  /** What the others answered in the same try. */
  failures: readonly FailedOutcome[]
}

/**
 * What a chain of providers remembers of attempts that one of them left open. Lost with the process, which costs the
 * order.
 */
export class OpenAttempts {
  readonly #kept = new Map<string, Kept>()

  /** A new try begins: nothing of it is open yet. */
  begin(attemptId: string): void {
    const kept = this.#kept.get(attemptId)
    if (kept === undefined) return
    kept.last.clear()
    kept.lookedUpAt = null
    kept.failures = []
  }

  forget(attemptId: string): void {
    this.#kept.delete(attemptId)
  }

  /** The provider may have taken it, and will be asked. */
  awaitLookUp(attemptId: string, provider: string): void {
    const kept = this.#keep(attemptId)
    kept.last.add(provider)
    kept.lookedUpAt = provider
  }

  /** Nobody can tell whether the provider has taken it. Returns how often that has been so. `at`: epoch ms. */
  leaveOpen(attemptId: string, provider: string, at: number): number {
    const kept = this.#keep(attemptId)
    const times = (kept.leftOpen.get(provider)?.times ?? 0) + 1
    kept.last.add(provider)
    kept.leftOpen.set(provider, { times, at })
    return times
  }

  keepFailures(attemptId: string, failures: readonly FailedOutcome[]): void {
    this.#keep(attemptId).failures = failures
  }

  lookedUpAt = (attemptId: string): string | null => this.#kept.get(attemptId)?.lookedUpAt ?? null

  failuresOf = (attemptId: string): readonly FailedOutcome[] => this.#kept.get(attemptId)?.failures ?? []

  leftOpenLast = (attemptId: string, provider: string): boolean =>
    this.#kept.get(attemptId)?.last.has(provider) ?? false

  leftOpenBy = (attemptId: string, provider: string): { readonly times: number; readonly at: number } =>
    this.#kept.get(attemptId)?.leftOpen.get(provider) ?? { times: 0, at: 0 }

  #keep(attemptId: string): Kept {
    const kept = this.#kept.get(attemptId) ?? { leftOpen: new Map(), last: new Set(), lookedUpAt: null, failures: [] }
    this.#kept.set(attemptId, kept)
    // A Map remembers its order: the first one is the oldest.
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return kept
  }
}
