import type { Settings } from '../../../core/incident/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Store } from '../../../ports/store.ts'
import { type Quotas, UNLIMITED } from '../shared/quotas.ts'
import { Primary } from './engine/connect.ts'
import { migrate } from './engine/migrate.ts'
import { targetOf } from './engine/target.ts'
import { storeOn } from './postgres-store.ts'

type PostgresOptions = {
  /** A connection address, with the password. */
  readonly url: string
  /** The settings that an application's own are merged over. */
  readonly defaults: Settings
  /** For every process except the service: each change leaves a notice for the service, in the same transaction. */
  readonly leaveNotices: boolean
  /** Limits on what one user may store; unlimited by default. */
  readonly quotas?: Quotas
  /** Bytes that may wait for the database in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly log: Log
  readonly meter: Meter
}

/** The default where the configuration does not set `limits.waitingMb`. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** The only one, until nodes have ids of their own. */
const NODE = 'node'

/**
 * Opens the store on PostgreSQL: finds the primary, checks that it is suitable, and migrates the database. Rejects with
 * a sentence for the operator if that is impossible.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { url, defaults, leaveNotices, quotas = UNLIMITED, maxWaitingBytes = MAX_WAITING_BYTES, log, meter } = options
  const primary = new Primary(targetOf(url))
  const first = await primary.connect()
  try {
    await migrate(first)
  } finally {
    await first.close()
  }
  const context = { defaults, quotas, node: leaveNotices ? null : NODE }
  return storeOn(context, { connect: () => primary.connect(), maxWaitingBytes, log, meter })
}
