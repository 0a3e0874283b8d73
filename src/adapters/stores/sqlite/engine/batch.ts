import type { DiskReserve, Room } from '../files/disk-reserve.ts'
import { leaverOfNotices } from '../incidents/notices.ts'
import { ruleOf, type WriteCall, type WriteName, writes } from '../writes.ts'
import type { SqliteDatabase } from './database.ts'
import { concernsAll, failureOf, failureOfKind, type StoreFailure } from './failure.ts'
import { newestMomentRow } from './keep-clock.ts'
import type { Write, WriteContext } from './write.ts'

/** The outcome of a batch: a result for each write, in order, and the failure of each write that has none. */
export type BatchOutcome =
  | { readonly results: readonly unknown[]; readonly failures: readonly (readonly [index: number, StoreFailure])[] }
  | { readonly failed: StoreFailure }

type Options = Pick<WriteContext, 'defaults' | 'quotas'> & {
  readonly leaveNotices: boolean
  readonly reserve: Pick<DiskReserve, 'room' | 'giveUp'>
}

/**
 * Makes a function that commits many writes in one transaction. A failed write is undone without failing the others; a
 * fault of the disk or the file fails all of them, and nothing of the batch is stored.
 */
export function batchRunner(
  db: SqliteDatabase,
  { reserve, leaveNotices, defaults, quotas }: Options,
): (calls: readonly WriteCall[]) => BatchOutcome {
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
      // Some faults have already rolled everything back.
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      throw error
    }
  }
  const undone: (() => void)[] = []
  const onUndone = (listener: () => void): void => void undone.push(listener)
  const made = new Map<unknown, unknown>()
  const context: WriteContext = {
    db,
    defaults,
    quotas,
    leaveNotice: leaverOfNotices(db, leaveNotices),
    atomically,
    onUndone,
    part<T>(make: (context: WriteContext) => T): T {
      if (!made.has(make)) made.set(make, make(context))
      return made.get(make) as T
    },
  }
  const parts = Object.fromEntries(
    Object.entries(writes).map(([name, { prepare }]) => [name, context.part(prepare)]),
  ) as Record<WriteName, never>
  const newestMoment = newestMomentRow(db)

  const run = ([name, , args]: WriteCall): unknown => {
    const { atomic, run } = writes[name] as unknown as Write<readonly unknown[], unknown>
    return atomic ? run(parts[name], ...args) : atomically(() => run(parts[name], ...args))
  }

  const runAll = (calls: readonly WriteCall[], room: Room): BatchOutcome => {
    const results: unknown[] = []
    const failures: [number, StoreFailure][] = []
    let newest = 0
    for (const [index, call] of calls.entries()) {
      const [name, moment] = call
      if (!fits(name, room)) {
        results.push(null)
        failures.push([index, failureOfKind('disk_reserve')])
        continue
      }
      try {
        results.push(run(call))
        if (ruleOf(name).setsClock) {
          newestMoment.set(moment)
          newest = 0
        } else newest = Math.max(newest, moment)
      } catch (error) {
        if (concernsAll(error) || !db.inTransaction) throw error
        results.push(null)
        failures.push([index, failureOf(error, db)])
      }
    }
    // Only the service moves the newest moment: a command may run under a clock that the service does not trust.
    if (newest > 0 && !leaveNotices) newestMoment.rise(newest)
    commit.run()
    return { results, failures }
  }

  const attempt = (calls: readonly WriteCall[], room: Room): BatchOutcome => {
    try {
      begin.run()
      return runAll(calls, room)
    } catch (error) {
      const failed = failureOf(error, db)
      if (db.inTransaction) rollback.run()
      for (const listener of undone) listener()
      return { failed }
    }
  }

  return (calls) => {
    const outcome = attempt(calls, reserve.room())
    const isFull = 'failed' in outcome && outcome.failed.kind === 'disk_full'
    if (!isFull || !calls.some(([name]) => isAlarm(name))) return outcome
    // rules.md#reserve. Retry even without a reserve: the writes that are refused now may have been too much.
    reserve.giveUp()
    return attempt(calls, 'given_up')
  }
}

function isAlarm(name: WriteName): boolean {
  const { lane, reserve } = ruleOf(name)
  return lane === 'alarm' && reserve === 'uses'
}

function fits(name: WriteName, room: Room): boolean {
  const { reserve } = ruleOf(name)
  return room === 'enough' || (room === 'scarce' ? reserve !== 'spares' : reserve === 'uses')
}
