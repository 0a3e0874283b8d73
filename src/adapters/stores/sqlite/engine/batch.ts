import type { DiskReserve, Room } from '../files/disk-reserve.ts'
import type { Connection } from './connection.ts'
import { concernsAll, type Failure, failureOf, failureOfKind } from './failure.ts'
import { newestMomentWrites } from './keep-clock.ts'
import {
  changesClock,
  isAlarm,
  isAtomic,
  type OperationName,
  type Operations,
  type OperationsOptions,
  operationsOn,
  sparesReserve,
  usesReserve,
} from './operations.ts'

/** One write: the operation, the moment (epoch ms) that it happened at or 0, and its arguments. */
export type Write = readonly [name: OperationName, moment: number, args: readonly unknown[]]

/** What became of a batch: a result for each write, in order, and the failure of those that have none. */
export type Outcome =
  | { readonly results: readonly unknown[]; readonly failures: readonly (readonly [index: number, Failure])[] }
  | { readonly failed: Failure }

type Options = Omit<OperationsOptions, 'atomically' | 'onUndone'> & {
  readonly reserve: Pick<DiskReserve, 'room' | 'giveUp'>
}

/**
 * Makes a function that commits many writes at once. A write that fails is undone and does not fail its neighbours; a fault of the disk
 * or the file fails all of them, and nothing of the batch is stored.
 */
export function batchRunner(db: Connection, { reserve, ...options }: Options): (writes: readonly Write[]) => Outcome {
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
  const undone: (() => void)[] = []
  const onUndone = (listener: () => void): void => void undone.push(listener)
  const operations = operationsOn(db, { ...options, atomically, onUndone })
  const newestMoment = newestMomentWrites(db)

  const run = ([name, , args]: Write): unknown => {
    const operation = operations[name] as (...args: readonly unknown[]) => ReturnType<Operations[OperationName]>
    return isAtomic.has(name) ? operation(...args) : atomically(() => operation(...args))
  }

  const runAll = (writes: readonly Write[], room: Room): Outcome => {
    const results: unknown[] = []
    const failures: [number, Failure][] = []
    let newest = 0
    for (const [index, write] of writes.entries()) {
      if (!fits(write[0], room)) {
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

  const attempt = (writes: readonly Write[], room: Room): Outcome => {
    try {
      begin.run()
      return runAll(writes, room)
    } catch (error) {
      const failed = failureOf(error, db)
      if (db.inTransaction) rollback.run()
      for (const listener of undone) listener()
      return { failed }
    }
  }

  return (writes) => {
    const outcome = attempt(writes, reserve.room())
    const isFull = 'failed' in outcome && outcome.failed.kind === 'disk_full'
    if (!isFull || !writes.some(([name]) => isAlarm.has(name) && usesReserve.has(name))) return outcome
    // Decisions 8, *Alarms have their own room*. Also where there is no reserve: without what is refused now it may fit.
    reserve.giveUp()
    return attempt(writes, 'given_up')
  }
}

const fits = (name: OperationName, room: Room): boolean =>
  room === 'enough' || (room === 'scarce' ? !sparesReserve.has(name) : usesReserve.has(name))
