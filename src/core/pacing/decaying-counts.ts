import { BoundedMap } from '../../lib/bounded-map.ts'

/** `at`: when it last grew, monotonic ms. */
type DecayingCount = { readonly count: number; readonly at: number }

/**
 * Counts by key that lose half their value in each half-life. Beyond `maxKeys` keys, the one that grew longest ago is
 * dropped first. Times are monotonic milliseconds.
 */
export class DecayingCounts {
  readonly #halfLifeMs: number
  readonly #counts: BoundedMap<string, DecayingCount>

  constructor(halfLifeMs: number, maxKeys: number) {
    this.#halfLifeMs = halfLifeMs
    this.#counts = new BoundedMap(maxKeys)
  }

  /** The count of this key as of when it last grew. */
  last(key: string): DecayingCount | null {
    return this.#counts.get(key) ?? null
  }

  recent(key: string, now: number): number {
    const known = this.#counts.get(key)
    return known === undefined ? 0 : known.count * 0.5 ** ((now - known.at) / this.#halfLifeMs)
  }

  add(key: string, amount: number, now: number): void {
    this.#counts.set(key, { count: this.recent(key, now) + amount, at: now })
  }

  /** Takes back one count. */
  takeBack(key: string): void {
    const known = this.#counts.get(key)
    if (known !== undefined) this.#counts.set(key, { ...known, count: Math.max(0, known.count - 1) })
  }
}
