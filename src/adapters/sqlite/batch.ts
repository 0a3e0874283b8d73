import type { Connection } from './connection.ts'
import { concernsAll, type Failure, failureOf, failureOfKind } from './failure.ts'
import { newestMomentWrites } from './keep-clock.ts'
import {
  changesClock,
  givesWay,
  isAtomic,
  makesRoom,
  type OperationName,
  type Operations,
  type OperationsOptions,
  operationsOn,
} from './operations.ts'

/** One write: the operation, the moment (epoch ms) that it happened at or 0, and its arguments. */
export type Write = readonly [name: OperationName, moment: number, args: readonly unknown[]]

/** What became of a batch: a result for each write, in order, and the failure of those that have none. */
export type Outcome =
  | { readonly results: readonly unknown[]; readonly failures: readonly (readonly [index: number, Failure])[] }
  | { readonly failed: Failure }

type Options = Omit<OperationsOptions, 'atomically'> & {
  /** Whether free space is above the reserve. */
  readonly hasReserve: () => boolean
}

/**
 * Makes a function that commits many writes at once. A write that fails is undone and does not fail its neighbours; a fault of the disk
 * or the file fails all of them, and nothing of the batch is stored.
 */
export function batchRunner(
  db: Connection,
  { hasReserve, ...options }: Options,
): (writes: readonly Write[]) => Outcome {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT write')
  const release = db.prepare('RELEASE write')
  const undo = db.prepare('ROLLBACK TO write')

  const atomically = <T>(work: () => T): T => {
    savepoint.run()
    try {
      const result = work()
      release.run()
      return result
    } catch (error) {
      // Some faults have rolled everything back already.
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      throw error
    }
  }
  const operations = operationsOn(db, { ...options, atomically })
  const newestMoment = newestMomentWrites(db)

  const run = ([name, , args]: Write): unknown => {
    const operation = operations[name] as (...args: readonly unknown[]) => ReturnType<Operations[OperationName]>
    return isAtomic.has(name) ? operation(...args) : atomically(() => operation(...args))
  }

  const runAll = (writes: readonly Write[]): Outcome => {
    const results: unknown[] = []
    const failures: [number, Failure][] = []
    const refusesWeak = !hasReserve()
    let newest = 0
    for (const [index, write] of writes.entries()) {
      if (refusesWeak && givesWay.has(write[0]) && !makesRoom.has(write[0])) {
        results.push(null)
        failures.push([index, failureOfKind('disk_reserve')])
        continue
      }
      try {
        results.push(run(write))
        if (changesClock.has(write[0])) {
          newestMoment.set(write[1])
          newest = 0
        } else newest = Math.max(newest, write[1])
      } catch (error) {
        if (concernsAll(error) || !db.inTransaction) throw error
        results.push(null)
        failures.push([index, failureOf(error, db)])
      }
    }
    // Only the service says what its deadlines are reckoned in; a command may be run under a clock that it does not believe.
    if (newest > 0 && !options.leaveNotices) newestMoment.rise(newest)
    commit.run()
    return { results, failures }
  }

  return (writes) => {
    try {
      begin.run()
      return runAll(writes)
    } catch (error) {
      const failed = failureOf(error, db)
      if (db.inTransaction) rollback.run()
      return { failed }
    }
  }
}
