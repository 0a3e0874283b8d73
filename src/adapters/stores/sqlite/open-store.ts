import type { PlanSettings } from '../../../core/account/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import { type Quotas, UNLIMITED } from '../shared/quotas.ts'
import { openReader, type SqliteDatabase } from './engine/database.ts'
import { departureOf } from './engine/departure.ts'
import { isUpToDate } from './engine/migrate.ts'
import { prepareFile } from './files/data-dir.ts'
import { type SqliteStore, storeOn } from './sqlite-store.ts'
import { CommitQueue } from './writer/commit-queue.ts'
import { queueOnDemand, type WriteQueue } from './writer/queue-on-demand.ts'
import { writerHere, writerThread } from './writer/start-writer.ts'

export type StoreOptions = {
  /** Created if missing. Holds the database, `tocsin.db`. */
  readonly dataDir: string
  /** The settings that an application's own are merged over. */
  readonly defaults: PlanSettings
  /** For every process except the service: each change leaves a notice for the service, in the same transaction. */
  readonly leaveNotices: boolean
  /** Disk space set aside for alarms. 0: none. Null (the default): another process, the service, maintains it. */
  readonly diskReserveBytes?: number | null
  /** Limits on what one user may store; unlimited by default. */
  readonly quotas?: Quotas
  /**
   * For commands, which mostly read and wait for each write: opens an up-to-date database for reading, and starts the
   * writer with the first write, in this thread. False (the default): the writer starts immediately, on its own thread.
   */
  readonly writesOnDemand?: boolean
  /** For the service: checkpoints of a busy store are made beside its commits. */
  readonly backgroundCheckpoints?: boolean
  /** Bytes that may wait for the disk in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly log: Log
  readonly meter: Meter
  /**
   * Called once when the disk can no longer be trusted: the process has to end with a non-zero code, which it does by
   * default.
   */
  readonly onFatal?: (error: Error) => void
}

/**
 * Opens the SQLite store: creates, migrates and protects the file as needed. Rejects with a sentence for the operator
 * if it is unusable. The writer commits in groups; this thread answers the reads.
 */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const { dataDir, defaults, leaveNotices, quotas = UNLIMITED, diskReserveBytes = null, log, meter } = options
  const { onFatal = () => process.exit(1), maxWaitingBytes, writesOnDemand = false } = options
  const { backgroundCheckpoints = false } = options
  const path = prepareFile(dataDir, 'tocsin.db')
  const startWriter = async (): Promise<WriteQueue> => {
    const writer = { path, defaults, leaveNotices, quotas, diskReserveBytes, backgroundCheckpoints }
    return CommitQueue.open(writesOnDemand ? await writerHere(writer) : writerThread(writer), {
      log,
      meter,
      onFatal,
      ...(maxWaitingBytes !== undefined && { maxWaitingBytes }),
    })
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

/** The database if it can be read as it is. Null if the writer has to prepare it first, or to report its fault. */
function openCurrent(path: string): SqliteDatabase | null {
  let db: SqliteDatabase | null = null
  try {
    db = openReader(path)
    if (isUpToDate(db) && departureOf(db) === null) return db
  } catch {
    // The writer will meet the same error and explain it.
  }
  db?.close()
  return null
}
