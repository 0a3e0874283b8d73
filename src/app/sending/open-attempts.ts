import type { AttemptOutcome } from '../../core/incident/command.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'

export type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>

/** Beyond this, the oldest attempt is dropped; its next try then only loses the order of providers. */
const MAX_KEPT = 10_000

/**
 * How often a provider left the attempt open, the claim (epoch ms) at which it last did, and how long after that it is
 * skipped.
 */
type LeftOpen = { readonly times: number; readonly at: number; readonly restMs: number }

type Kept = {
  readonly leftOpen: Map<string, LeftOpen>
  /** Providers that left the last try open. */
  readonly last: Set<string>
  /** The provider that may have taken it and must be looked up. */
  lookedUpAt: string | null
  /** Failures of the other providers in the same try. */
  failures: readonly FailedOutcome[]
}

/**
 * A provider chain's memory of attempts that one of its providers left open. It is lost with the process, which costs
 * only the order.
 */
export class OpenAttempts {
  readonly #kept = new BoundedMap<string, Kept>(MAX_KEPT)

  /** Begins a new try, with nothing left open yet. */
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

  /** Records that the provider may have taken it and will be asked. */
  awaitLookUp(attemptId: string, provider: string): void {
    const kept = this.#keep(attemptId)
    kept.last.add(provider)
    kept.lookedUpAt = provider
  }

  /**
   * Records that it is unknown whether the provider has accepted it. `at`: epoch ms. `restMs`: how long the provider is
   * then skipped, by the number of times that has happened. Returns both.
   */
  leaveOpen(attemptId: string, provider: string, { at, restMs }: { at: number; restMs: (times: number) => number }) {
    const kept = this.#keep(attemptId)
    const times = (kept.leftOpen.get(provider)?.times ?? 0) + 1
    const left = { times, at, restMs: restMs(times) }
    kept.last.add(provider)
    kept.leftOpen.set(provider, left)
    return left
  }

  keepFailures(attemptId: string, failures: readonly FailedOutcome[]): void {
    this.#keep(attemptId).failures = failures
  }

  lookedUpAt = (attemptId: string): string | null => this.#kept.get(attemptId)?.lookedUpAt ?? null

  failuresOf = (attemptId: string): readonly FailedOutcome[] => this.#kept.get(attemptId)?.failures ?? []

  leftOpenLast = (attemptId: string, provider: string): boolean =>
    this.#kept.get(attemptId)?.last.has(provider) ?? false

  leftOpenBy = (attemptId: string, provider: string): LeftOpen | undefined =>
    this.#kept.get(attemptId)?.leftOpen.get(provider)

  #keep(attemptId: string): Kept {
    const kept = this.#kept.get(attemptId) ?? { leftOpen: new Map(), last: new Set(), lookedUpAt: null, failures: [] }
    this.#kept.set(attemptId, kept)
    return kept
  }
}
