import type { Settings } from '../../../../core/incident/settings.ts'
import type { Notice } from '../../../../ports/store.ts'
import type { QuotaParts } from '../telemetry/quota.ts'
import type { SqliteDatabase } from './database.ts'

/**
 * What a call holds in memory besides what is measured: the promise, and what the sender's side keeps until it settles.
 */
export const CALL_BYTES = 4096
/** The same of a call whose payload is measured. */
export const ROW_BYTES = 1024

/** How one kind of write is treated on its way to the disk. */
export type WriteRule<A extends readonly unknown[]> = {
  /**
   * `alarm`: an alarm is made of it, and it is refused for lack of memory after everything else. `bulk`: it comes last
   * in a commit, a bounded number at a time, and is refused first. Neither, where absent.
   */
  readonly lane?: 'alarm' | 'bulk'
  /**
   * `spares`: refused as soon as space on the disk is scarce, because a client that sends rubbish must not bring an
   * alarm to need the reserve. `uses`: still written once the reserve is given up. Where absent, refused only then.
   */
  readonly reserve?: 'spares' | 'uses'
  /** It changes the clock that moments are told in: earlier moments of the batch mean nothing any more. */
  readonly setsClock?: true
  /** It undoes itself when it fails, and needs no savepoint around it. */
  readonly atomic?: true
  /** When it happened, epoch ms; nothing is known of that where absent. */
  readonly moment?: (...args: A) => number
  /** Whose turn it takes, for what a client can hand in at will. What the service does by itself shares one turn. */
  readonly sender?: (...args: A) => string
  /** What a call holds in memory, where a client may send much at once; about `CALL_BYTES` where absent. */
  readonly bytes?: (...args: A) => number
}

/** What writes work with on the writer's side, inside a transaction. */
export type WriteContext = {
  readonly db: SqliteDatabase
  readonly defaults: Settings
  /** Leaves a notice in the transaction of the change that it is about; does nothing in the service's own process. */
  readonly leaveNotice: (notice: Notice) => void
  /** Undoes what `work` wrote when it throws, and nothing else of the transaction. */
  readonly atomically: <T>(work: () => T) => T
  /** What `make` makes of this context, the same for all who ask: statements are prepared once. */
  readonly part: <T>(make: (context: WriteContext) => T) => T
} & QuotaParts

/**
 * One kind of write: its rule, and what it does with plain data inside a transaction, in which it may throw. `run` gets
 * what `prepare` has made of the context.
 */
export type Write<A extends readonly unknown[], R> = WriteRule<A> & {
  readonly prepare: (context: WriteContext) => unknown
  readonly run: (parts: never, ...args: A) => R
}

type WriteOf<M> = M extends (...args: infer A) => Promise<infer R> ? Write<A, R> : never

type Declared<M, P> = M extends (...args: infer A) => Promise<infer R>
  ? WriteRule<A> & { readonly run: (parts: P, ...args: A) => R }
  : never

/**
 * Declares writes of a port by their names in it, one entry each: everything else about a write follows from its entry.
 */
export const writesOf =
  <Port>() =>
  <P, N extends keyof Port>(
    prepare: (context: WriteContext) => P,
    declared: { readonly [K in N]: Declared<Port[K], P> },
  ): { readonly [K in N]: WriteOf<Port[K]> } =>
    Object.fromEntries(
      Object.entries<object>(declared).map(([name, entry]) => [name, { ...entry, prepare }]),
    ) as unknown as { readonly [K in N]: WriteOf<Port[K]> }
