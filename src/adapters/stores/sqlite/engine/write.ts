import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { Notice } from '../../../../ports/store.ts'
import type { Quotas } from '../../shared/quotas.ts'
import type { SqliteDatabase } from './database.ts'

export type Reserve = 'spares' | 'uses' | 'releases'

/** The rules for one kind of write on its way to the disk. */
export type WriteRule<A extends readonly unknown[]> = {
  /**
   * `alarm`: it can raise an alarm, and is the last to be refused for lack of memory. `bulk`: it comes last in a
   * commit, a bounded number at a time, and is refused first. Absent: neither.
   */
  readonly lane?: 'alarm' | 'bulk'
  /**
   * The dispatcher's own work, which gives way to calls that people wait for. `claim`: a message leaves once it is
   * stored. `outcome`: the status of one has become known. Null or absent: neither.
   */
  readonly step?: (...args: A) => 'claim' | 'outcome' | null
  /**
   * `spares`: refused as soon as disk space is scarce, so that a client that sends rubbish cannot make an alarm need
   * the reserve. Absent: refused once the reserve is released. `uses`: written then, too. `releases`: so is this, and a
   * commit with it that meets a full disk releases the reserve. A function where it depends on the arguments.
   * keeping.md#reserve.
   */
  readonly reserve?: Reserve | ((...args: A) => Reserve | undefined)
  /** It changes the clock that moments are measured in, so earlier moments of the batch no longer count. */
  readonly setsClock?: true
  /** It undoes itself when it fails, so it needs no savepoint. */
  readonly atomic?: true
  /** The moment of the write, epoch ms; absent: unknown. */
  readonly moment?: (...args: A) => number
  /**
   * The sender whose turn it takes, for writes that a client can send at will. The service's own writes share one turn.
   */
  readonly sender?: (...args: A) => string
  /** Memory that a call holds, for writes that a client may send in large numbers; absent: about `CALL_BYTES`. */
  readonly bytes?: (...args: A) => number
}

/** The context of writes in the writer, inside a transaction. */
export type WriteContext = {
  readonly db: SqliteDatabase
  /** `defaults` follow operators' changes while it runs. */
  readonly sitePlan: { defaults: PlanSettings }
  readonly quotas: Quotas
  /** Leaves a notice in the transaction of the change it announces; does nothing in the service's own process. */
  readonly leaveNotice: (notice: Notice) => void
  /** If `work` throws, undoes its writes and nothing else of the transaction. */
  readonly atomically: <T>(work: () => T) => T
  /**
   * Calls `listener` when anything but telemetry may have changed, in this process or another, so that earlier look-ups
   * of rows are out of date. Also after a failed commit.
   */
  readonly onOutdated: (listener: () => void) => void
  /** Calls `listener` after a failed commit: its writes are gone. */
  readonly onUndone: (listener: () => void) => void
  /** Returns `make(context)`, made once and shared, so that statements are prepared once. */
  readonly part: <T>(make: (context: WriteContext) => T) => T
}

/**
 * One kind of write: its rule, and `run`, which works on plain data inside a transaction and may throw. `run` gets what
 * `prepare` made of the context.
 */
export type Write<A extends readonly unknown[], R> = WriteRule<A> & {
  readonly prepare: (context: WriteContext) => unknown
  readonly run: (parts: never, ...args: A) => R
}

type WriteOf<M> = M extends (...args: infer A) => Promise<infer R> ? Write<A, R> : never

/** Every write of a port. */
export type WritesOf<Port> = { readonly [N in keyof Port]: WriteOf<Port[N]> }

type Declared<M, P> = M extends (...args: infer A) => Promise<infer R>
  ? WriteRule<A> & { readonly run: (parts: P, ...args: A) => R }
  : never

/**
 * Declares the writes of a port under their names in the port. Everything else about a write follows from its entry
 * here.
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
