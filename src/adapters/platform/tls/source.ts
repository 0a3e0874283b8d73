import type { X509Certificate } from 'node:crypto'
import type { Pair } from './pair.ts'
import type { ClockReading, Used } from './validity.ts'

/** The result of a check of the files. */
export type Loaded = {
  readonly pair: Pair
  /** For clients that ask for one of its names; absent: all get `pair`. */
  readonly named?: Pair
  /** The reason for which the server certificate was just created or renewed, or null. */
  readonly made: string | null
  /** The certificates whose dates matter: the one to show first, then the local CA's, then others. */
  readonly used: readonly [Used, ...Used[]]
  /** Problems that do not stop the certificate from being used. */
  readonly concerns: readonly string[]
}

/** The origin of a pair. */
export type Source = {
  /**
   * The current pair, or one sentence on why there is none. Faults reject. `beside`: the certificate that clients get
   * who ask for one of its names.
   */
  load(moment: ClockReading, beside?: X509Certificate | null): Promise<Loaded | { readonly refused: string }>
  /** How often to check for changes. */
  readonly lookEveryMs: number
}
