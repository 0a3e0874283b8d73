import type { Statement } from './connection.ts'
import { failureOf, toStoreError } from './failure.ts'
import type { Pool } from './pool.ts'

/** Reads outside any transaction. Faults reject as StoreErrors. */
export type Reader = {
  readonly rows: <T extends object>(statement: Statement, values?: readonly unknown[]) => Promise<readonly T[]>
  /** The only row, or null. */
  readonly row: <T extends object>(statement: Statement, values?: readonly unknown[]) => Promise<T | null>
}

export function readerOn(pool: Pool): Reader {
  const once = <T extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly T[]> =>
    pool.use((connection) => connection.rows<T>(statement, values))
  const rows = async <T extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<readonly T[]> => {
    try {
      return await once<T>(statement, values).catch((error) => {
        // The session may have been dead for long.
        if (failureOf(error).kind === 'unreachable') return once<T>(statement, values)
        throw error
      })
    } catch (error) {
      throw toStoreError(error)
    }
  }
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] ?? null } as Reader
}
