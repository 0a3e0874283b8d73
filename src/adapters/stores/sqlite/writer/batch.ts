import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { refuseDeparted } from '../engine/departure.ts'
import { concernsAll, failureOf, failureOfKind, type StoreFailure } from '../engine/failure.ts'
import type { Reserve, Write, WriteContext } from '../engine/write.ts'
import type { DiskReserve, Room } from '../files/disk-reserve.ts'
import { noticeWriter } from '../notices/notices.ts'
import { telemetryRows } from '../telemetry/append-telemetry.ts'
import { eachRow, type PackedRows, RowOutcomes, type SentOutcomes } from '../telemetry/packed-rows.ts'
import { ruleOf, type WriteCall, type WriteName, writes } from '../writes.ts'

/** Writes for one commit, in this order. */
export type WriteBatch = { readonly calls: readonly WriteCall[]; readonly rows: PackedRows }

/** The outcome of a batch: a result for each call, in order, the failure of each call that has none, and the rows'. */
export type BatchOutcome =
  | {
      readonly results: readonly unknown[]
      readonly failures: readonly (readonly [index: number, StoreFailure])[]
      readonly rows: SentOutcomes
    }
  | { readonly failed: StoreFailure }

type Options = Pick<WriteContext, 'quotas'> & {
  readonly defaults: PlanSettings
  readonly leaveNotices: boolean
  readonly reserve: Pick<DiskReserve, 'room' | 'giveUp'>
}

/**
 * Makes a function that commits many writes in one transaction. A failed write is undone without failing the others; a
 * fault of the disk or the file fails all of them, and nothing of the batch is stored. Writes hardly ever fail, and a
 * savepoint copies each page that a write changes: so only a batch in which one has failed is undone as a whole and run
 * again with a savepoint around each.
 */
export function batchRunner(
  db: SqliteDatabase,
  { reserve, leaveNotices, defaults, quotas }: Options,
): (batch: WriteBatch) => BatchOutcome {
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
  const outdated: (() => void)[] = []
  const made = new Map<unknown, unknown>()
  const context: WriteContext = {
    db,
    sitePlan: { defaults },
    quotas,
    leaveNotice: noticeWriter(db, leaveNotices),
    atomically,
    onUndone,
    onOutdated: (listener) => void outdated.push(listener),
    part<T>(make: (context: WriteContext) => T): T {
      if (!made.has(make)) made.set(make, make(context))
      return made.get(make) as T
    },
  }
  const parts = Object.fromEntries(
    Object.entries(writes).map(([name, { prepare }]) => [name, context.part(prepare)]),
  ) as Record<WriteName, never>
  const telemetry = context.part(telemetryRows)
  const newestMoment = newestMomentRow(db)

  const run = ([name, , args]: WriteCall, isApart: boolean): unknown => {
    const { atomic, run } = writes[name] as unknown as Write<readonly unknown[], unknown>
    return atomic || !isApart ? run(parts[name], ...args) : atomically(() => run(parts[name], ...args))
  }

  /** Other processes write, too: this number changes when one has committed. */
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck()
  let knownVersion = dataVersion.get()
  const forgetWhatChanged = (calls: readonly WriteCall[]): void => {
    const version = dataVersion.get()
    if (calls.length === 0 && version === knownVersion) return
    knownVersion = version
    for (const listener of outdated) listener()
  }

  /** `isApart`: each call has a savepoint. Without them it returns null when a call has failed and must be undone. */
  const runAll = ({ calls, rows }: WriteBatch, room: Room, isApart: boolean): BatchOutcome | null => {
    const results: unknown[] = []
    const failures: [number, StoreFailure][] = []
    let newest = 0
    for (const [index, call] of calls.entries()) {
      const [name, moment] = call
      if (!fits(call, room)) {
        results.push(null)
        failures.push([index, failureOfKind('disk_reserve')])
        continue
      }
      try {
        results.push(run(call, isApart))
        if (ruleOf(name).setsClock) {
          newestMoment.set(moment)
          newest = 0
        } else newest = Math.max(newest, moment)
      } catch (error) {
        if (concernsAll(error) || !db.inTransaction) throw error
        if (!isApart && !ruleOf(name).atomic) return null
        results.push(null)
        failures.push([index, failureOf(error, db)])
      }
    }
    forgetWhatChanged(calls)
    const rowOutcomes = new RowOutcomes(rows.count)
    const refusesRows = !hasRoom('spares', room)
    eachRow(rows, (row) => {
      if (refusesRows) {
        rowOutcomes.add({ failed: failureOfKind('disk_reserve') })
        return
      }
      try {
        rowOutcomes.add(telemetry.append(row))
        newest = Math.max(newest, row.receivedAt)
      } catch (error) {
        if (concernsAll(error) || !db.inTransaction) throw error
        rowOutcomes.add({ failed: failureOf(error, db) })
      }
    })
    // Only the service moves the newest moment: a command may run under a clock that the service does not trust.
    if (newest > 0 && !leaveNotices) newestMoment.rise(newest)
    commit.run()
    return { results, failures, rows: rowOutcomes.sent() }
  }

  const attempt = (batch: WriteBatch, room: Room, isApart = false): BatchOutcome => {
    let failed: StoreFailure | null = null
    try {
      begin.run()
      // A command that ran during a copy has waited for its end here. No copy runs beside the service.
      if (leaveNotices) refuseDeparted(db)
      const outcome = runAll(batch, room, isApart)
      if (outcome !== null) return outcome
    } catch (error) {
      failed = failureOf(error, db)
    }
    if (db.inTransaction) rollback.run()
    for (const listener of [...undone, ...outdated]) listener()
    return failed === null ? attempt(batch, room, true) : { failed }
  }

  return (batch) => {
    const outcome = attempt(batch, reserve.room())
    const isFull = 'failed' in outcome && outcome.failed.kind === 'disk_full'
    if (!isFull || !batch.calls.some(releases)) return outcome
    // keeping.md#reserve. Retries even without a reserve: the writes that are refused now may have been too much.
    reserve.giveUp()
    return attempt(batch, 'given_up')
  }
}

function reserveOf([name, , args]: WriteCall): Reserve | undefined {
  const { reserve } = ruleOf(name)
  return typeof reserve === 'function' ? reserve(...args) : reserve
}

const releases = (call: WriteCall): boolean => reserveOf(call) === 'releases'

const fits = (call: WriteCall, room: Room): boolean => hasRoom(reserveOf(call), room)

const hasRoom = (reserve: Reserve | undefined, room: Room): boolean =>
  room === 'enough' || (room === 'scarce' ? reserve !== 'spares' : reserve === 'uses' || reserve === 'releases')

/** `newest_moment` rises with each write. `set` writes any value, for when the clock itself has changed. */
function newestMomentRow(db: SqliteDatabase) {
  const rise = db.prepare<[number, number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment' AND value < ?")
  const set = db.prepare<[number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment'")
  return { rise: (to: number): void => void rise.run(to, to), set: (to: number): void => void set.run(to) }
}
