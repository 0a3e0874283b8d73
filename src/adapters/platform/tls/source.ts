import type { Pair } from './pair.ts'
import type { Moment, Used } from './validity.ts'

/** What a look at the files gave. */
export type Loaded = {
  readonly pair: Pair
  /** Why the server certificate was just made (anew), or null. */
  readonly made: string | null
  /** The certificates whose dates matter: the server's first, then the local CA's. */
  readonly used: readonly [Used, ...Used[]]
  /** What is not as it should be, and does not keep the certificate from being used. */
  readonly concerns: readonly string[]
}

/** Where a pair comes from. */
export type Source = {
  /** The pair as it is now, or in one sentence why there is none. Faults reject. */
  load(moment: Moment): Promise<Loaded | { readonly refused: string }>
  /** How often to look whether something changed. */
  readonly lookEveryMs: number
}
