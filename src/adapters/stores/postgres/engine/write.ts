import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { Notice } from '../../../../ports/store.ts'
import type { Quotas } from '../../shared/quotas.ts'
import type { CallOutcome } from './commit-lane.ts'
import type { Connection } from './connection.ts'
import type { Era } from './era.ts'

/** The context of every write of this process. */
export type WriteContext = {
  readonly defaults: PlanSettings
  readonly quotas: Quotas
  /** The jumps of the server's clock that the clock of this process has followed. */
  readonly era: Pick<Era, 'jumps'>
  /** Names this process among those that share the database. Null for a command. */
  readonly node: string | null
  readonly notices: {
    /** The name under which this process leaves notices. */
    readonly origin: string
    /** A commit has left some. */
    readonly left: () => void
  }
}

/** A write inside a transaction. */
export type Transaction = WriteContext & {
  readonly connection: Connection
  /** Further effects of the transaction, for the committer. */
  readonly done: { leavesNotice: boolean }
}

/** A write with its own transaction. It may throw; then nothing of it is stored. */
export type Write<A extends readonly unknown[], R> = {
  /** The moment of the write, epoch ms; absent: unknown. */
  readonly moment?: (...args: A) => number
  /** The sender whose turn it takes, for writes that a client can send at will. */
  readonly sender?: (...args: A) => string
  readonly run: (transaction: Transaction, ...args: A) => Promise<R>
}

type WriteOf<M> = M extends (...args: infer A) => Promise<infer R> ? Write<A, R> : never

/** Declares writes under their names in the port. */
export const writesOf =
  <Port>() =>
  <N extends keyof Port>(declared: { readonly [K in N]: WriteOf<Port[K]> }): typeof declared =>
    declared

/** A write on its way to its transaction. */
export type WriteCall = { readonly write: Write<never, unknown>; readonly args: readonly unknown[] }

/** Runs one write as one transaction, and raises the newest moment with it. */
export function runAlone(context: WriteContext, firstSlot: number) {
  return async (
    connection: Connection,
    [call]: readonly WriteCall[],
    slot: number,
  ): Promise<readonly CallOutcome<unknown>[]> => {
    const { write, args } = call!
    const moment = write.moment?.(...(args as never)) ?? 0
    const done = { leavesNotice: false }
    const transaction = { ...context, connection, done }
    await connection.begin()
    let result: unknown
    try {
      result = await write.run(transaction, ...(args as never))
    } catch (error) {
      await connection.rollback()
      throw error
    }
    await connection.commitAfter([raiseMoment(transaction, { slot: firstSlot + slot, moment })])
    if (done.leavesNotice) context.notices.left()
    return [{ result }]
  }
}

/** `moment`: epoch ms, 0 if there is none. */
type Moment = { readonly slot: number; readonly moment: number }

/** Writes null, which the table refuses, if the site has left. */
const RAISE = {
  name: 'raise-moment',
  text: `INSERT INTO moments (node, slot, newest_moment)
    VALUES ($1, $2, CASE WHEN EXISTS (SELECT 1 FROM site_copy) THEN NULL ELSE $3::bigint END)
    ON CONFLICT (node, slot) DO UPDATE SET newest_moment = greatest(moments.newest_moment, excluded.newest_moment)`,
}

/**
 * The last statement of every transaction that stores anything. Fails it if the site has left: a write that waited for
 * the locks of a copy sees its mark here. Raises the newest moment, but not to a command's. Each batch in flight has
 * its own row, so none waits for another.
 */
export const raiseMoment = (
  { connection, node }: Pick<Transaction, 'connection' | 'node'>,
  { slot, moment }: Moment,
): Promise<number> => connection.run(RAISE, [node ?? 'command', slot, node === null ? 0 : moment])

const LEAVE = {
  name: 'leave-notice',
  text: 'INSERT INTO notices (xact, origin, notice) VALUES (pg_current_xact_id()::text::bigint, $1, $2)',
}

/**
 * Leaves a notice in the transaction of the change, for every other process. Those of incidents are left by `save`.
 */
export async function leaveNotice({ connection, notices, done }: Transaction, notice: Notice): Promise<void> {
  done.leavesNotice = true
  await connection.run(LEAVE, [notices.origin, JSON.stringify(notice)])
}

const LOCK_OWNER = {
  name: 'lock-owner',
  text: 'SELECT app_id AS "appId" FROM users WHERE id = $1 FOR NO KEY UPDATE',
}

/**
 * Locks a user, as the write door does, and returns the id of their application. Later reads of the transaction are
 * current. Null: no such user.
 */
export async function lockOwner({ connection }: Transaction, userId: string): Promise<string | null> {
  const [row] = await connection.rows<{ appId: string }>(LOCK_OWNER, [userId])
  return row?.appId ?? null
}

/** Locks a phone number, to count messages to it. Comes after the user's lock, if both are held. */
export async function lockNumber({ connection }: Transaction, phone: string): Promise<void> {
  await connection.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [phone])
}
