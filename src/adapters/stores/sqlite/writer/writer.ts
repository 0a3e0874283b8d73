import { dirname } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { Quotas } from '../../shared/quotas.ts'
import { checkpointsInBackground } from '../engine/background-checkpoints.ts'
import { createCheckpointer, type LogState } from '../engine/checkpointer.ts'
import { openWriter, type SqliteDatabase } from '../engine/database.ts'
import { refuseDeparted } from '../engine/departure.ts'
import type { StoreFailure } from '../engine/failure.ts'
import { migrate } from '../engine/migrate.ts'
import { DiskReserve, type ReserveNews } from '../files/disk-reserve.ts'
import { whyUnusable } from '../files/unusable.ts'
import { type BatchOutcome, batchRunner, type WriteBatch } from './batch.ts'

/** The start options of the writer. */
export type WriterOptions = {
  readonly path: string
  readonly defaults: PlanSettings
  readonly leaveNotices: boolean
  readonly quotas: Quotas
  /** Null if another process owns the reserve. */
  readonly diskReserveBytes: number | null
  /** Whether checkpoints may run on a separate thread. It would keep the process of a command alive. */
  readonly backgroundCheckpoints: boolean
}

export type ToWriter = WriteBatch | { readonly close: true }

/**
 * Messages of the writer: `ready` or `unusable` once; an `outcome` for each batch, in order; the state of the log and
 * the reserve when it changes, also before `ready`; `fatal` at any time, as the last message.
 */
export type FromWriter =
  | { readonly ready: true }
  | { readonly unusable: string }
  | { readonly outcome: BatchOutcome }
  | { readonly log: LogState }
  | { readonly reserve: ReserveNews }
  | { readonly fatal: StoreFailure }

/**
 * Owns the write connection and commits one batch after another. In between it copies the log into the database file,
 * after the answer, so that callers do not wait for the copy. Ends with the port.
 */
export async function runWriter(options: WriterOptions, port: MessagePort): Promise<void> {
  const post = (message: FromWriter): void => port.postMessage(message)
  let db: SqliteDatabase
  try {
    db = await openWriter(options.path)
    migrate(db)
    refuseDeparted(db)
  } catch (error) {
    post({ unusable: whyUnusable(error, options.path) })
    port.close()
    return
  }
  const { defaults, leaveNotices, quotas, diskReserveBytes, backgroundCheckpoints } = options
  const directory = dirname(options.path)
  const reserve = await DiskReserve.open({
    directory,
    bytes: diskReserveBytes,
    report: (news) => post({ reserve: news }),
  })
  const runBatch = batchRunner(db, { defaults, leaveNotices, quotas, reserve })
  const background = backgroundCheckpoints ? checkpointsInBackground(options.path) : null
  const checkpointer = createCheckpointer(db, {
    report: (state) => post({ log: state }),
    fatal: (failure) => post({ fatal: failure }),
    background,
  })

  port.once('close', () => db.close())
  const close = async (): Promise<void> => {
    await background?.close()
    reserve.close()
    checkpointer.checkpoint()
    db.close()
    port.close()
  }

  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      void close()
      return
    }
    post({ outcome: runBatch(message) })
    checkpointer.checkpointIfDue(reserve.room() !== 'enough')
  })
  post({ ready: true })
}
