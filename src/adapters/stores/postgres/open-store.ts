import type { Settings } from '../../../core/incident/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import { type Quotas, UNLIMITED } from '../shared/quotas.ts'
import { Primary, type SessionLimits } from './engine/connect.ts'
import { refuseLeft } from './engine/departure.ts'
import { migrate } from './engine/migrate.ts'
import { Pool } from './engine/pool.ts'
import { leaseSite } from './engine/site-lease.ts'
import { targetOf } from './engine/target.ts'
import { type SharedStore, storeOn } from './postgres-store.ts'

type PostgresOptions = {
  /** A connection address, with the password. */
  readonly url: string
  /** The settings that an application's own are merged over. */
  readonly defaults: Settings
  /** For every process except the service: each change leaves a notice for the service, in the same transaction. */
  readonly leaveNotices: boolean
  /**
   * For the service: takes the site for this node alone. `onLost`: called once if another one has it now, and this
   * process has to end.
   */
  readonly site?: { readonly node: string; readonly onLost: (error: Error) => void }
  /** Limits on what one user may store; unlimited by default. */
  readonly quotas?: Quotas
  /** Bytes that may wait for the database in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly limits?: SessionLimits
  readonly log: Log
  readonly meter: Meter
}

/** The default where the configuration does not set `limits.waitingMb`. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** The node of a process that has not taken the site. */
const NODE = 'node'

/**
 * Opens the store on PostgreSQL: finds the primary, checks that it is suitable, and migrates the database. Rejects with
 * a sentence for the operator if that is impossible.
 */
export async function openPostgres(options: PostgresOptions): Promise<SharedStore> {
  const { url, defaults, leaveNotices, site, log, meter } = options
  const { quotas = UNLIMITED, maxWaitingBytes = MAX_WAITING_BYTES, limits = {} } = options
  const primary = new Primary(targetOf(url), limits)
  const first = await primary.connect()
  try {
    await migrate(first)
    await refuseLeft(first)
  } finally {
    await first.close()
  }
  const connect = () => primary.connect()
  const context = { defaults, quotas, node: leaveNotices ? null : (site?.node ?? NODE) }
  const store = storeOn(context, { connect, maxWaitingBytes, log, meter })
  if (site === undefined) return store
  const pool = new Pool(connect, { size: 1, maxWaiting: 1 })
  try {
    const giveBack = await leaseSite({ pool, ...site, log })
    return {
      ...store,
      async close() {
        await store.close()
        await giveBack()
        await pool.close()
      },
    }
  } catch (error) {
    await Promise.all([store.close(), pool.close()])
    throw error
  }
}
