import type { Settings } from '../../../core/incident/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import { openReader, type SqliteDatabase } from './engine/database.ts'
import { isUpToDate } from './engine/migrate.ts'
import { queueOnDemand, type WriteQueue } from './engine/queue-on-demand.ts'
import { prepareFile } from './files/data-dir.ts'
import { type SqliteStore, storeOn } from './sqlite-store.ts'
import { type Quotas, UNLIMITED } from './telemetry/quota.ts'

export type StoreOptions = {
  /** Made if it is missing. The database is `tocsin.db` in it. */
  readonly dataDir: string
  /** What an application's own settings are merged over. */
  readonly defaults: Settings
  /** For every process that is not the service: each change leaves a notice for the service in the same transaction. */
  readonly leaveNotices: boolean
  /**
   * How much space is set aside on the disk for alarms. 0: none. Null (the default): the service, another process, sees
   * to it.
   */
  readonly diskReserveBytes?: number | null
  /** What one user may have kept; without them as much as there is. */
  readonly quotas?: Quotas
  /**
   * Opens a database that is up to date for reading, and starts the writer with the first write: the command line,
   * which mostly reads, then answers sooner. False (the default): the writer starts at once.
   */
  readonly writesOnDemand?: boolean
  /** What may wait for the disk in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly log: Log
  readonly meter: Meter
  /**
   * Called once when the disk can no longer be trusted: the process has to end, with a code that is not 0, which is the
   * default.
   */
  readonly onFatal?: (error: Error) => void
}

/**
 * Opens the SQLite store: the file is made, migrated and made private as needed. Rejects with a sentence for the
 * operator where it cannot be used. Writes go to a thread of their own and are committed in groups; reads are answered
 * from this thread.
 */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const { dataDir, defaults, leaveNotices, quotas = UNLIMITED, diskReserveBytes = null, log, meter } = options
  const { onFatal = () => process.exit(1), maxWaitingBytes, writesOnDemand = false } = options
  const path = prepareFile(dataDir, 'tocsin.db')
  const startWriter = async (): Promise<WriteQueue> => {
    const { CommitQueue } = await import('./engine/commit-queue.ts')
    return CommitQueue.open(
      { path, defaults, leaveNotices, quotas, diskReserveBytes },
      { log, meter, onFatal, ...(maxWaitingBytes !== undefined && { maxWaitingBytes }) },
    )
  }
  const current = writesOnDemand ? openCurrent(path) : null
  if (current !== null) return storeOn(queueOnDemand(startWriter), current, log)
  const queue = await startWriter()
  try {
    return storeOn(queue, openReader(path), log)
  } catch (error) {
    await queue.close()
    throw error
  }
}

/**
 * The database if it can be read as it is. Null where the writer has to prepare it first, or to say what is wrong with
 * it.
 */
function openCurrent(path: string): SqliteDatabase | null {
  let db: SqliteDatabase | null = null
  try {
    db = openReader(path)
    if (isUpToDate(db)) return db
  } catch {
    // The writer meets the same, and has the words for it.
  }
  db?.close()
  return null
}
