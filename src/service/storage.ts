import { createSystemClock } from '../adapters/platform/system/clock.ts'
import { createIds } from '../adapters/platform/system/ids.ts'
import { createLog } from '../adapters/platform/system/log.ts'
import { createMeter, type SystemMeter } from '../adapters/platform/system/meter.ts'
import { rateLimitedLog } from '../adapters/platform/system/rate-limited-log.ts'
import { machineTimeZone } from '../adapters/platform/system/time-zone.ts'
import type { Quotas } from '../adapters/stores/shared/quotas.ts'
import { refuseDamaged } from '../adapters/stores/sqlite/engine/unusable.ts'
import { holdDataDir } from '../adapters/stores/sqlite/files/hold-data-dir.ts'
import { removeUnfinishedRestore } from '../adapters/stores/sqlite/files/restore.ts'
import { openStore } from '../adapters/stores/sqlite/open-store.ts'
import type { SqliteStore } from '../adapters/stores/sqlite/sqlite-store.ts'
import { createIncidentDoor, type IncidentDoor, type IncidentFeed } from '../app/incident-door.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Closers } from './closers.ts'

/** What everything else works with. */
export type Basis = {
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly meter: SystemMeter
  readonly machineTimeZone: () => string
  readonly store: SqliteStore
  readonly door: IncidentDoor & IncidentFeed
}

type Given = {
  readonly clock?: Clock
  readonly log?: Log
  readonly onFatal?: (error: Error) => void
  readonly openStore?: typeof openStore
}

/**
 * The first stage: clock, log, metrics, and the store behind its write door. Takes the data directory for this process
 * alone. Rejects with a sentence for the operator where the store cannot be used.
 */
export async function openStorage(config: Config, given: Given, closers: Closers): Promise<Basis> {
  const clock = given.clock ?? systemClock(closers)
  const log = rateLimitedLog(given.log ?? createLog(config.log.level), () => clock.now())
  const meter = createMeter()
  const { dataDir, limits, notifications } = config
  closers.add(await holdDataDir(dataDir))
  removeUnfinishedRestore(dataDir)
  refuseDamaged(dataDir)
  const store = await (given.openStore ?? openStore)({
    dataDir,
    defaults: notifications.defaults,
    leaveNotices: false,
    backgroundCheckpoints: true,
    quotas: quotasOf(limits),
    diskReserveBytes: diskReserveBytes(limits),
    maxWaitingBytes: limits.waitingMb * MB,
    log,
    meter,
    onFatal: given.onFatal ?? (() => process.exit(1)),
  })
  closers.add(() => store.close())
  const door = createIncidentDoor({ store, log })
  return { clock, log, ids: createIds(), meter, machineTimeZone, store, door }
}

const KB = 1024
const MB = 1024 * KB

export const diskReserveBytes = ({ diskReserveMb }: Pick<Config['limits'], 'diskReserveMb'>): number =>
  diskReserveMb * MB

const quotasOf = (limits: Config['limits']): Quotas => ({
  telemetryBytes: limits.telemetryMbPerUser * MB,
  deadLetterBytes: limits.deadLetterKbPerUser * KB,
  feedbackRows: limits.feedbackPerUser,
  incidents: limits.incidentsPerUser,
})

function systemClock(closers: Closers): Clock {
  const clock = createSystemClock()
  closers.add(() => clock.stop())
  return clock
}
