import type { Settings } from '../../core/settings.ts'
import { telemetryWrites } from './append-telemetry.ts'
import { accountWrites } from './change-account.ts'
import { operatorWrites } from './change-application.ts'
import { contactWrites } from './change-contacts.ts'
import { deviceWrites } from './change-devices.ts'
import { incidentChanges } from './change-incident.ts'
import type { Connection } from './connection.ts'
import { erasureWrites } from './erase-user.ts'
import { clockWrites } from './keep-clock.ts'
import { mailWrites } from './keep-mail.ts'
import { leaverOfNotices, purgeNotices } from './notices.ts'
import { expiryWrites } from './retention.ts'

export type OperationsOptions = {
  readonly defaults: Settings
  readonly leaveNotices: boolean
  /** Undoes what `work` wrote when it throws, and nothing else of the transaction. */
  readonly atomically: <T>(work: () => T) => T
}

/** Everything that can be written, by name. Each takes and returns plain data, runs inside a transaction and may throw. */
export function operationsOn(db: Connection, { defaults, leaveNotices, atomically }: OperationsOptions) {
  const leaveNotice = leaverOfNotices(db, leaveNotices)
  const incidents = incidentChanges(db, { defaults, leaveNotice })
  const proof = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'write_checks'")
  return {
    ...incidents,
    ...telemetryWrites(db, atomically),
    ...accountWrites(db),
    ...contactWrites(db, incidents),
    ...deviceWrites(db),
    ...operatorWrites(db, { leaveNotice }),
    ...mailWrites(db),
    ...clockWrites(db, { leaveNotice }),
    ...expiryWrites(db),
    ...erasureWrites(db, { leaveNotice }),
    purgeNotices: purgeNotices(db),
    proveWritable: (): void => void proof.run(),
  }
}

export type Operations = ReturnType<typeof operationsOn>
export type OperationName = keyof Operations
export type Arguments<N extends OperationName> = Parameters<Operations[N]>
export type Result<N extends OperationName> = ReturnType<Operations[N]>

/**
 * What gives way when many writes want to be made: it comes after everything else in a commit, a bounded number at a time, and is
 * refused below the reserve of free space, which a client that sends rubbish must not use up. `proveWritable` is among it, so that the
 * service says so before alerts cannot be stored.
 */
export const givesWay: ReadonlySet<OperationName> = new Set<OperationName>([
  'appendTelemetry',
  'addDeadLetter',
  'addFeedback',
  'proveWritable',
  'deleteExpired',
])

/** Gives way too, but not to the reserve: what it deletes makes room in the file. */
export const makesRoom: ReadonlySet<OperationName> = new Set<OperationName>(['deleteExpired'])

/** Changes the clock that moments are told in: those of before say nothing any more. */
export const changesClock: ReadonlySet<OperationName> = new Set<OperationName>(['changePending', 'keepClock'])

/** Undone by itself when it fails: it needs no savepoint around it. */
export const isAtomic: ReadonlySet<OperationName> = new Set<OperationName>(['appendTelemetry', 'proveWritable'])
