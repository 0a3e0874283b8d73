import type { Settings } from '../../../../core/incident/settings.ts'
import { accountWrites } from '../accounts/change-account.ts'
import { operatorWrites } from '../accounts/change-application.ts'
import { contactWrites } from '../accounts/change-contacts.ts'
import { erasureWrites } from '../accounts/erase-user.ts'
import { deviceWrites } from '../devices/change-devices.ts'
import { incidentChanges } from '../incidents/change-incident.ts'
import { leaverOfNotices, purgeNotices } from '../incidents/notices.ts'
import { mailWrites } from '../mail/keep-mail.ts'
import { expiryWrites } from '../retention.ts'
import { telemetryWrites } from '../telemetry/append-telemetry.ts'
import type { QuotaParts } from '../telemetry/quota.ts'
import type { Connection } from './connection.ts'
import { clockWrites } from './keep-clock.ts'

export type OperationsOptions = {
  readonly defaults: Settings
  readonly leaveNotices: boolean
  /** Undoes what `work` wrote when it throws, and nothing else of the transaction. */
  readonly atomically: <T>(work: () => T) => T
} & QuotaParts

/** Everything that can be written, by name. Each takes and returns plain data, runs inside a transaction and may throw. */
export function operationsOn(
  db: Connection,
  { defaults, leaveNotices, atomically, quotas, onUndone }: OperationsOptions,
) {
  const leaveNotice = leaverOfNotices(db, leaveNotices)
  const incidents = incidentChanges(db, { defaults, leaveNotice, maxIncidents: quotas.incidents })
  const proof = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'write_checks'")
  return {
    ...incidents,
    ...telemetryWrites(db, { atomically, quotas, onUndone }),
    ...accountWrites(db),
    ...contactWrites(db, incidents),
    ...deviceWrites(db, quotas),
    ...operatorWrites(db, { leaveNotice }),
    ...mailWrites(db, { quotas, onUndone }),
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
 * What gives way when many writes want to be made: it comes after everything else in a commit, a bounded number at a time, and is the
 * first to be refused when too much waits.
 */
export const givesWay: ReadonlySet<OperationName> = new Set<OperationName>([
  'appendTelemetry',
  'addDeadLetter',
  'addFeedback',
  'deleteExpired',
])

/**
 * What an alarm is made of: refused for want of memory after everything else. Somebody's first alarm makes the user; `proveWritable` shows whether
 * all this can be stored.
 */
export const isAlarm: ReadonlySet<OperationName> = new Set<OperationName>([
  'ensureUser',
  'changeIncident',
  'changePending',
  'addToOutbox',
  'proveWritable',
])

/**
 * What is refused when space on the disk is scarce: a client that sends rubbish must not bring an alarm to need the reserve. `proveWritable` is
 * among it, so that the service says so before.
 */
export const sparesReserve: ReadonlySet<OperationName> = new Set<OperationName>([
  'appendTelemetry',
  'addDeadLetter',
  'addFeedback',
  'proveWritable',
])

/** What may use the reserve once it is given up: alarms, whoever raises their first, and what makes room in the file. */
export const usesReserve: ReadonlySet<OperationName> = new Set<OperationName>([
  'changeIncident',
  'changePending',
  'addToOutbox',
  'ensureUser',
  'keepClock',
  'acceptClock',
  'deleteExpired',
  'purgeNotices',
  'eraseUser',
  'sweepAfterErasure',
])

/** Changes the clock that moments are told in: those of before say nothing any more. */
export const changesClock: ReadonlySet<OperationName> = new Set<OperationName>(['changePending', 'keepClock'])

/** Undone by itself when it fails: it needs no savepoint around it. */
export const isAtomic: ReadonlySet<OperationName> = new Set<OperationName>(['appendTelemetry', 'proveWritable'])
