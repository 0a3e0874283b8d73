import type { PlanSettings } from '../../../core/account/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { NodeStore } from '../../../ports/node-store.ts'
import { StoreError } from '../../../ports/store-error.ts'
import { MAX_WAITING_BYTES } from '../shared/commit-limits.ts'
import { type Quotas, UNLIMITED } from '../shared/quotas.ts'
import { Primary } from './engine/connect.ts'
import { refuseDeparted } from './engine/departure.ts'
import { isServerFull, NO_SESSION, sqlStateOf, toStoreError } from './engine/failure.ts'
import { migrate } from './engine/migrate.ts'
import type { SessionLimits } from './engine/session.ts'
import { targetOf } from './engine/target.ts'
import { LEASE_SESSION, nodesOn } from './nodes.ts'
import { type SharedStore, storeOn } from './postgres-store.ts'

type PostgresOptions = {
  /** A connection address, with the password. */
  readonly url: string
  /** The settings that an application's own are merged over. */
  readonly defaults: PlanSettings
  /** For every process except the service: each change leaves a notice for the service, in the same transaction. */
  readonly leaveNotices: boolean
  /** The id of this node; for the service. */
  readonly node?: string
  /** Limits on what one user may store; unlimited by default. */
  readonly quotas?: Quotas
  /** Bytes that may wait for the database in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly limits?: SessionLimits
  /** Whether nodes wake each other with NOTIFY; they do by default. */
  readonly notify?: boolean
  /** Time between looks for notices; the default suits everything but tests. */
  readonly pollMs?: number
  readonly log: Log
  readonly meter: Meter
}

/** The name of a process without an id. */
const NODE = 'node'

/** The store on PostgreSQL, and the nodes that share it. */
export type PostgresStore = SharedStore & { readonly nodes: NodeStore }

/**
 * Opens the store on PostgreSQL: finds the primary, checks that it is suitable, and migrates the database. Rejects with
 * a sentence for the operator if that is impossible.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { url, defaults, leaveNotices, node = NODE } = options
  const { quotas = UNLIMITED, maxWaitingBytes = MAX_WAITING_BYTES, limits = {}, notify = true } = options
  const target = targetOf(url)
  const primary = new Primary(target, limits)
  const first = await primary.connect()
  try {
    await migrate(first)
    await refuseDeparted(first)
  } catch (error) {
    throw sqlStateOf(error) === null ? error : toStoreError(error)
  } finally {
    await first.close()
  }
  const connect = () =>
    primary.connect().catch((error) => {
      if (isServerFull(error)) options.log.warn({}, `${NO_SESSION}; going on with the sessions there are`, NO_SESSION)
      throw error
    })
  const context = { defaults, quotas, node: leaveNotices ? null : node }
  const severalHosts = options.node === undefined ? null : target.hosts.length > 1
  const onNewPrimary = (listener: () => void) => primary.onNewTimeline(listener)
  const { close, isAlone, isMixed, ...nodes } = nodesOn(() => primary.connect(LEASE_SESSION))
  const about = {
    severalHosts,
    maxWaitingBytes,
    notify,
    isAlone,
    isMixed: () => isMixed() ?? options.node !== undefined,
  }
  const store = storeOn(context, { ...options, ...about, connect, onNewPrimary })
  if (options.node !== undefined) {
    // A service must not find out later that it can store alerts and has no session to send with.
    await store.open().catch(async (error) => {
      await store.close()
      throw error
    })
  }
  return {
    ...store,
    nodes,
    async close() {
      await store.close()
      await close()
    },
  }
}

/**
 * The nodes that share a database, of whatever schema it has: nothing is upgraded, and a newer schema is not refused.
 * One without nodes has none.
 */
export function openNodes(url: string): NodeStore & { close(): Promise<void> } {
  const primary = new Primary(targetOf(url), LEASE_SESSION)
  const nodes = nodesOn(() => primary.connect(LEASE_SESSION))
  return {
    ...nodes,
    nodes: () => nodes.nodes().catch((error) => (hasNoNodes(error) ? { now: 0, nodes: [] } : Promise.reject(error))),
    drain: (...asked) => nodes.drain(...asked).catch((error) => (hasNoNodes(error) ? false : Promise.reject(error))),
  }
}

/** PostgreSQL's undefined_table. */
const hasNoNodes = (error: unknown): boolean => error instanceof StoreError && sqlStateOf(error.cause) === '42P01'
