import type { Statement } from './connection.ts'
import { failureOf, isServerFull, toStoreError } from './failure.ts'
import type { Pool } from './pool.ts'

/** Reads outside any transaction. Faults reject as StoreErrors. */
export type Reader = {
  readonly rows: <T extends object>(statement: Statement, values?: readonly unknown[]) => Promise<readonly T[]>
  /** The only row, or null. */
  readonly row: <T extends object>(statement: Statement, values?: readonly unknown[]) => Promise<T | null>
}

/** `spare`: reads while the server has no session left for the pool. */
export function readerOn(pool: Pool, spare: Reader | null = null): Reader {
  const once = <T extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly T[]> =>
    pool.use((connection) => connection.rows<T>(statement, values))
  const rows = async <T extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<readonly T[]> => {
    try {
      return await once<T>(statement, values).catch((error) => {
        // The session may be long dead.
        if (failureOf(error).kind === 'unreachable') return once<T>(statement, values)
        throw error
      })
    } catch (error) {
      if (spare !== null && isServerFull(error)) return spare.rows<T>(statement, values)
      throw toStoreError(error)
    }
  }
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] ?? null } as Reader
}
